"""Settings that hold for every test."""

from hypothesis import settings

# A busy machine is not a bug, so no deadline; CI passes --hypothesis-profile=ci and repeats itself.
settings.register_profile("forsooth", deadline=None, print_blob=True)
settings.load_profile("forsooth")
