"""The contract kits: what every game and every adapter must hold to, ours or a third party's."""
