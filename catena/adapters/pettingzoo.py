"""Catena as a PettingZoo environment of the AEC kind, ``catena_v0``.

::

    from catena.adapters import pettingzoo as catena_v0

    env = catena_v0.env(size=4, game="no-komi", render_mode="ansi")
    env.reset()
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        over = termination or truncation
        mask = observation["action_mask"]
        env.step(None if over else env.action_space(agent).sample(mask))

Parameters are those of :class:`catena.Board`, ``size=6, game="komi", scoring="standard", komi=0``,
and ``render_mode``: None, "ansi", "rgb_array" or "human", which prints the diagram after each move.

- Agents are the seats: ``player_0`` is the first player, ``player_1`` the second.  In the double
  game an agent is selected twice in a row.
- Actions are the moves of Board by number: cells, the button and, where the game begins with them,
  the choice of a colour and the komi.
- An observation is a dict.  ``observation`` holds the planes of ``Board.observe`` as this agent
  sees them, float32[NUM_PLANES, 2 * size - 1, 2 * size - 1]; ``action_mask`` is int8, 1 for the
  legal moves of the agent to move and all 0 for the other.  Both arrays are new at each call.
- Rewards are 0 until the end, then 1 for the winner and -1 for the loser, 0 each for a draw.
- An illegal action raises :class:`catena.IllegalMoveError` in ``raw_env``; in ``env`` it ends the
  game with -1 for the agent that chose it and 0 for the other, as in PettingZoo's own board games.
- Nothing is random, so a seed changes nothing.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from catena import NUM_PLANES, Board
from catena.adapters.picture import picture

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.utils import EzPickle
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError as error:
    hint = "pip install 'catena-engine[pettingzoo]'"
    raise ImportError(f"catena.adapters.pettingzoo needs PettingZoo: {hint}") from error

__all__ = ["env", "raw_env"]

AGENTS = ("player_0", "player_1")  # by seat
RENDER_MODES = ("human", "ansi", "rgb_array")

Observation = dict[str, NDArray[Any]]


def env(**parameters: Any) -> AECEnv[str, Observation, int]:
    """Return the environment with the wrappers that PettingZoo's own board games have."""
    wrapped = raw_env(**parameters)
    wrapped = wrappers.TerminateIllegalWrapper(wrapped, illegal_reward=-1)
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return wrappers.OrderEnforcingWrapper(wrapped)


class Moves(spaces.Discrete):
    """The space of move numbers: Discrete, with a quick answer for plain ints.

    The wrappers ask at each step, and Discrete's own answer takes a fifth of the whole step.
    """

    def contains(self, x: Any) -> bool:
        """Tell whether ``x`` is a number of the space."""
        return bool(0 <= x < self.n) if type(x) is int else super().contains(x)


class raw_env(AECEnv[str, Observation, int], EzPickle):  # noqa: N801
    """The environment itself; ``board`` is the :class:`catena.Board`, to be read only."""

    metadata = {  # noqa: RUF012 - PettingZoo declares it so
        "render_modes": list(RENDER_MODES),
        "name": "catena_v0",
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        size: int = 6,
        *,
        game: str = "komi",
        scoring: str = "standard",
        komi: int | None = 0,
        render_mode: str | None = None,
    ) -> None:
        EzPickle.__init__(
            self, size, game=game, scoring=scoring, komi=komi, render_mode=render_mode
        )
        super().__init__()
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ValueError(f"render_mode must be one of {RENDER_MODES}, got {render_mode!r}")
        self.render_mode = render_mode
        self._start = Board(size, game=game, scoring=scoring, komi=komi)
        self.board = self._start.copy()
        self.possible_agents = list(AGENTS)
        self.agents = list(AGENTS)
        num_moves, width = self.board.num_moves, 2 * self.board.size - 1
        planes = (NUM_PLANES, width, width)
        self.action_spaces: dict[str, spaces.Space[Any]] = {}
        self.observation_spaces: dict[str, spaces.Space[Any]] = {}
        for agent in AGENTS:  # each has spaces of its own, which it can seed
            self.action_spaces[agent] = Moves(num_moves)
            self.observation_spaces[agent] = spaces.Dict(
                {
                    "observation": spaces.Box(-1, 1, planes, np.float32),
                    "action_mask": spaces.Box(0, 1, (num_moves,), np.int8),
                }
            )

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of observations, the same object at each call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of actions, the same object at each call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game; ``seed`` and ``options`` change nothing."""
        self.board = self._start.copy()
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[0]  # the first player has the first move in every game
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """Return what ``agent`` sees, whether or not it is to move."""
        planes = self.board.observe(seat=AGENTS.index(agent))
        if agent == self.agent_selection:
            mask = self.board.legal_mask().view(np.int8)  # Discrete.sample takes no other type
        else:
            mask = np.zeros(self.board.num_moves, np.int8)
        return {"observation": planes, "action_mask": mask}

    def step(self, action: Any) -> None:
        """Make a move for the selected agent; None for an agent whose game is over.

        :raises IllegalMoveError: if the rules refuse the move; nothing has changed then.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        board = self.board
        board.push(action)
        seat = board.seat
        if seat is None:
            self.rewards = dict(zip(self.agents, board.returns, strict=True))
            self._accumulate_rewards()
            self.terminations = dict.fromkeys(AGENTS, True)
            seat = 1 - AGENTS.index(agent)
        self.agent_selection = AGENTS[seat]
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return the board as text or as uint8[height, width, 3]; print it in mode "human"."""
        if self.render_mode == "ansi":
            return str(self.board)
        if self.render_mode == "rgb_array":
            return picture(self.board)
        if self.render_mode == "human":
            print(self.board, end="\n\n")
        else:
            gymnasium.logger.warn("render() does nothing: the environment has no render_mode")
        return None

    def close(self) -> None:
        """Do nothing: there is no window and no file."""
