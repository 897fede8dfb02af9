"""How strong agents are, by what they gain and lose."""
