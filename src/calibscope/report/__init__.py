"""Results for people: tables, figures, pages."""
