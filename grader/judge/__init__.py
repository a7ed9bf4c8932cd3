"""The judge: a submission is read, run, compared with recorded numbers, and told its mistake.

It reads records alone: no exercise, no answer and no page is imported here.
"""
