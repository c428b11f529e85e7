"""Statement IR -> syntax trees -> text; `unparse` alone decides how Python text looks."""
