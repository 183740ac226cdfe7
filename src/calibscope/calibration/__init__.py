"""From quotes to the best fit, with evidence that it is the best."""
