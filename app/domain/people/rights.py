"""Who may change whom: an admin manages all but owners, an owner everybody, and one owner who can sign in has to stay.

    require_may_manage(actor, person)      # ForbiddenError: "Only an owner can change an owner."
    require_owner_left(people, person)     # ConflictError: "This is the last owner. …"

Not whether a role administers at all (`Role.administers`), and not how a person is found.
"""

from __future__ import annotations

from collections.abc import Iterable

from app.domain.errors import ConflictError, ForbiddenError
from app.domain.people.people import Person, Role


def list_grantable(actor: Role) -> tuple[Role, ...]:
    """Return the roles that somebody with this role can give, the most common first.

    >>> list_grantable(Role.ADMIN)
    (<Role.MEMBER: 'member'>, <Role.ADMIN: 'admin'>)
    """
    match actor:
        case Role.OWNER:
            return (Role.MEMBER, Role.ADMIN, Role.OWNER)
        case Role.ADMIN:
            return (Role.MEMBER, Role.ADMIN)
        case Role.MEMBER:
            return ()


def may_manage(actor: Person, person: Person) -> bool:
    """Tell whether one person may change another, or give them a reset link."""
    return actor.role is Role.OWNER or (actor.role is Role.ADMIN and person.role is not Role.OWNER)


def require_administers(actor: Person) -> None:
    """Refuse who does not administer the installation.

    Raises:
        ForbiddenError: their role is that of a member.
    """
    if not actor.role.administers:
        raise ForbiddenError("Only owners and admins can manage people. Ask one of them.")


def require_may_manage(actor: Person, person: Person) -> None:
    """Refuse to let an admin change an owner, or a member anybody.

    Raises:
        ForbiddenError: they may not.
    """
    require_administers(actor)
    if not may_manage(actor, person):
        raise ForbiddenError("Only an owner can change an owner.")


def require_may_grant(actor: Person, role: Role) -> None:
    """Refuse to let an admin make owners, or a member anything.

    Raises:
        ForbiddenError: they may not.
    """
    require_administers(actor)
    if role not in list_grantable(actor.role):
        raise ForbiddenError("Only an owner can make owners.")


def require_other(actor: Person, person: Person) -> None:
    """Refuse to let somebody disable or delete themselves: they could not take it back.

    Raises:
        ConflictError: it is the same person.
    """
    if actor.id == person.id:
        raise ConflictError("You cannot disable or delete your own account. Ask another owner or admin.")


def require_owner_left(people: Iterable[Person], without: Person) -> None:
    """Refuse to let the last owner who can sign in be demoted, disabled or deleted.

    `without` is the person who would not be such an owner any more.

    Raises:
        ConflictError: no other owner would be left.
    """
    if without.role is not Role.OWNER or without.disabled:
        return
    if not any(one.role is Role.OWNER and not one.disabled and one.id != without.id for one in people):
        raise ConflictError("This is the last owner. Make another person an owner first.")
