"""Average effects by the graph found: what to hold fixed, the estimates, and the words for them."""

from dagscale.result.effects.effect import Effect, effect_of

__all__ = ["Effect", "effect_of"]
