"""What follows from residuals and derivatives at the fit: leverage, influence, intervals."""
