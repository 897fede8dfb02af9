"""Vector environments: many games at once, in compiled steps that threads share."""
