"""The language of actions and gaits: what their files may say."""
