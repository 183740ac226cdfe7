"""Completion in bash, which takes the sign = for a word of its own.

`--set calibration.solver=bo` reaches us as four words there. They are put together again, and the
answer is what follows the sign, for this is what bash replaces. zsh and fish need no help.
"""

from click.shell_completion import BashComplete, CompletionItem, add_completion_class

SIGN = "="


class WithEqualSigns(BashComplete):
    """Bash completion of KEY=VALUE."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the cursor, and the one that is being typed."""
        before, typed = super().get_completion_args()
        words: list[str] = []
        for word in (*before, typed):
            if words and (word == SIGN or words[-1].endswith(SIGN)):
                words[-1] += word
            else:
                words.append(word)
        return words[:-1], words[-1]

    def format_completion(self, item: CompletionItem) -> str:
        """As bash wants it."""
        _, whole = self.get_completion_args()
        _, typed = super().get_completion_args()
        if whole != typed:
            item.value = item.value.removeprefix(whole.removesuffix(typed.removeprefix(SIGN)))
        return super().format_completion(item)


def prepare_completion() -> None:
    """Let click use it."""
    add_completion_class(WithEqualSigns)
