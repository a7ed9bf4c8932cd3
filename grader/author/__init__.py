"""Tools of authors: exercises with their answers, recording, and the audit that proves them."""
