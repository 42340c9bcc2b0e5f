"""All servos of a robot in every control period: what they are told, and what they tell."""
