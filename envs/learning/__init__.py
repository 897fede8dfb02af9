"""The games for reinforcement learning: Gymnasium's and PettingZoo's interfaces to the rules."""
