"""What follows from fitting again: leave-one-out, profiles, bootstrap, robust fits."""
