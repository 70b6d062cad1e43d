"""Catena as an OpenSpiel game: importing this module registers it under the name ``catena``.

::

    import catena.adapters.openspiel
    import pyspiel

    game = pyspiel.load_game("catena(size=4,game=no-komi)")

Parameters are those of :class:`catena.Board`: ``size`` (6), ``game`` ("komi", "no-komi" or
"double"), ``scoring`` ("standard", "longest" or "squares") and ``komi`` (0).  A parameter has one
type in OpenSpiel, so ``komi=-1`` stands for None: the first player names the komi, the second
player chooses a colour.  Wrong values raise ValueError as they do in Board.

Players are seats, 0 and 1, and actions the moves of Board, with the same number and the same text
(``D6``, ``button``, ``black``, ``komi:7``).  The text of a state is the diagram and, below it, one
line of position text.  A game can also begin at a position::

    state = game.new_initial_state("4 no-komi standard 0 4/1bw2/6/7/6/5/4 b - 1")
"""

from typing import Any

import numpy as np

from catena import NUM_PLANES, Board
from catena.notation import move_name

try:
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame
except ImportError as error:
    hint = "pip install 'catena-engine[openspiel]'"
    raise ImportError(f"catena.adapters.openspiel needs OpenSpiel: {hint}") from error

__all__ = ["BoardObserver", "CatenaGame", "CatenaState"]

DEFAULTS: dict[str, int | str] = {"size": 6, "game": "komi", "scoring": "standard", "komi": 0}
NAMED_KOMI = -1  # stands for Board's None
TERMINAL = int(pyspiel.PlayerId.TERMINAL)  # the enum itself takes longer to convert

GAME_TYPE = pyspiel.GameType(
    short_name="catena",
    long_name="Catena",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=DEFAULTS,
)


class CatenaGame(pyspiel.Game):
    """A set-up of Catena; makes its states and observers.

    ``start`` is the board that every game starts from; leave it as it is.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        setup: dict[str, Any] = {**DEFAULTS, **(params or {})}
        komi = None if setup["komi"] == NAMED_KOMI else setup["komi"]
        self.start = Board(setup["size"], game=setup["game"], scoring=setup["scoring"], komi=komi)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.start.num_moves,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            # No move can be made twice, and of the komis and of the colours only one each.
            max_game_length=self.start.num_cells + 3,
        )
        super().__init__(GAME_TYPE, info, params or {})

    def new_initial_state(self, state: str | None = None) -> "CatenaState":
        """Return the start of a game or, with position text, a game that starts there.

        :raises NotationError: if the text tells no position.
        :raises ValueError: if the position is of another set-up.
        """
        if state is None:
            return CatenaState(self, self.start.copy())
        board, start = Board.from_position(state), self.start
        for name in ("size", "game", "scoring", "komi"):
            wanted, given = getattr(start, name), getattr(board, name)
            if given != wanted and wanted is not None:
                raise ValueError(f"{name} must be {wanted!r} in this game, got {given!r}")
        return CatenaState(self, board)

    def make_py_observer(
        self,
        iig_obs_type: Any = None,
        params: dict[str, Any] | None = None,
    ) -> Any:
        """Return an observer of the board or, of other kinds of information, of the moves made."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return BoardObserver(self.start.size, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class CatenaState(pyspiel.State):
    """A game as far as it has gone.

    ``board`` is the :class:`catena.Board`, to be read only: a move made on it would be missing in
    OpenSpiel's history.  It is the one attribute, since a clone deep-copies each of them.
    """

    def __init__(self, game: CatenaGame, board: Board) -> None:
        super().__init__(game)
        self.board = board

    def current_player(self) -> int:
        """Return the seat to move, or TERMINAL."""
        seat = self.board.seat
        return TERMINAL if seat is None else seat

    def is_terminal(self) -> bool:
        """Tell whether the game is over."""
        return self.board.is_over

    def legal_actions(self, player: int | None = None) -> list[int]:
        """Return the legal moves of ``player``, ascending; of the one to move if it is None.

        OpenSpiel's own calls back for the player and the end, and turns the list into one of C++
        and again into one of Python.
        """
        if player is None or player == self.board.seat:
            return self.board.legal_moves()
        return super().legal_actions(player)  # type: ignore[no-any-return]

    def _legal_actions(self, player: int) -> list[int]:
        return self.board.legal_moves()

    def _apply_action(self, action: int) -> None:
        self.board.push(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return move_name(self.board, action)

    def returns(self) -> list[float]:
        """Return 1, 0 or -1 for each player; 0 until the game is over."""
        return list(self.board.returns)

    def __str__(self) -> str:
        # The diagram of a finished game does not tell who had which colour; the position does, and
        # some algorithms take states with equal text for one.
        return f"{self.board}\n{self.board.position}"


class BoardObserver:
    """Fills ``tensor`` with the planes of ``Board.observe``, seen from a player's side.

    ``dict["observation"]`` is the same memory in the shape of the planes.
    """

    def __init__(self, size: int, params: dict[str, Any] | None) -> None:
        if params:
            raise ValueError(f"the observer takes no parameters, got {params}")
        planes = np.zeros((NUM_PLANES, 2 * size - 1, 2 * size - 1), np.float32)
        self.tensor = planes.reshape(-1)
        self.dict = {"observation": planes}

    def set_from(self, state: CatenaState, player: int) -> None:
        """Fill the planes as ``player`` sees ``state``."""
        state.board.observe(self.dict["observation"], player)

    def string_from(self, state: CatenaState, player: int) -> str:
        """Return the position text of ``state``, the same for both players."""
        return state.board.position


pyspiel.register_game(GAME_TYPE, CatenaGame)
