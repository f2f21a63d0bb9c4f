"""What is going on, and what has been? Logs and figures; decides nothing."""
