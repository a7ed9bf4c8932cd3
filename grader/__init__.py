"""The autograder: exercises, recorded references, and the sandboxed check between them."""
