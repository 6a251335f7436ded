"""The one place that turns a grader's questions into answers: driving, replaying, budget and content keys."""
