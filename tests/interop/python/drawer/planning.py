"""Readings and plans: what is there as the contract's objects, and one step for each change that is asked for."""

from ptah.provider.v1 import common_pb2, plan_pb2, schema_pb2

from drawer.contract import fingerprint
from drawer.language import create_text

TABLE, COLUMN = "table", "column"


class Snapshot:
    """A reading that is kept until its session closes: the definitions, without rows."""

    def __init__(self, content):
        self.tables = {name: {"columns": table["columns"], "rows": []} for name, table in content["tables"].items()}
        self.objects = [_object(name, table) for name, table in sorted(self.tables.items())]
        self.fingerprint = fingerprint(self.objects)

    def rendering(self):
        """Each table's statement; no table needs another, so any order does."""
        for found in self.objects:
            yield found.id, create_text(found.id.name.source, self.tables[found.id.name.source]["columns"])


def table_id(name):
    return common_pb2.ObjectId(kind=TABLE, name=common_pb2.Name(source=name))


def column_id(name):
    return common_pb2.MemberId(kind=COLUMN, name=common_pb2.Name(source=name))


def _object(name, table):
    found = schema_pb2.Object(id=table_id(name))
    for column, said in sorted(table["columns"].items()):
        facets = [
            schema_pb2.Facet(name="required", text="yes" if said["required"] else "no"),
            schema_pb2.Facet(name="type", text=said["type"]),
        ]
        found.members.append(schema_pb2.Member(kind=COLUMN, name=column, facets=facets))
    return found


def plan(request, desired):
    """A step or a refusal for each change. The host orders the steps and puts them into transactions."""
    reply = plan_pb2.PlanReply()
    for number, change in enumerate(request.changes):
        action = change.WhichOneof("action")
        table = change.object.name.source
        column = change.member.name.source if change.HasField("member") else None
        make = _MAKERS.get((action, column is not None))
        if make is None:
            _refuse(reply, number, "drawer.change", "a drawer cannot make this change")
        else:
            make(reply, number, change, table, column, desired)
    return reply


def _step(reply, number, text, rule, risk=common_pb2.RISK_SAFE, loss=None, checks=()):
    reply.steps.append(
        plan_pb2.Step(
            step_id=f"change-{number}",
            change_ids=[number],
            unit=plan_pb2.Unit(sql=text),
            transaction=plan_pb2.TRANSACTION_RULE_ANY,
            risk=risk,
            loss=loss,
            checks=checks,
            rule=plan_pb2.Rule(name=rule[0], sentence=rule[1]),
        )
    )


def _refuse(reply, number, code, reason, hint=None):
    reply.refusals.append(plan_pb2.Refusal(change_id=number, code=code, reason=reason, hint=hint))


def _create_table(reply, number, _, table, __, desired):
    rule = ("table.create", "a table is made in one statement")
    _step(reply, number, create_text(table, desired.tables[table]["columns"]), rule)


def _drop_table(reply, number, _, table, *__):
    rule = ("table.drop", "a table goes with its rows")
    _step(reply, number, f"DROP TABLE {table}", rule, common_pb2.RISK_DESTRUCTIVE, common_pb2.LOSS_ROWS)


def _rename_table(reply, number, change, table, *_):
    rule = ("table.rename", "a table keeps its rows under a new name")
    _step(reply, number, f"ALTER TABLE {table} RENAME TO {change.rename.source}", rule, common_pb2.RISK_WARNING)


def _add_column(reply, number, _, table, column, desired):
    said = desired.tables[table]["columns"][column]
    text = f"ALTER TABLE {table} ADD COLUMN {column} {said['type']}"
    if not said["required"]:
        _step(reply, number, text, ("column.add", "a column is added in place"))
        return
    check = plan_pb2.Check(
        code="drawer.rows-exist",
        count=f"SELECT count(*) FROM {table}",
        sentence="a required column cannot be added to a table with rows, which have no value for it",
    )
    rule = ("column.add-required", "a required column is added to a table without rows only")
    _step(reply, number, text + " REQUIRED", rule, common_pb2.RISK_WARNING, checks=[check])


def _drop_column(reply, number, _, table, column, __):
    rule = ("column.drop", "a column goes with its values")
    text = f"ALTER TABLE {table} DROP COLUMN {column}"
    _step(reply, number, text, rule, common_pb2.RISK_DESTRUCTIVE, common_pb2.LOSS_VALUES)


def _rename_column(reply, number, change, table, column, _):
    rule = ("column.rename", "a column keeps its values under a new name")
    text = f"ALTER TABLE {table} RENAME COLUMN {column} TO {change.rename.source}"
    _step(reply, number, text, rule, common_pb2.RISK_WARNING)


def _alter_column(reply, number, change, table, column, desired):
    if any(facet.name == "type" for facet in change.alter.facets):
        reason = "a drawer does not change the type of a column"
        _refuse(reply, number, "drawer.type", reason, "add a column of the new type and move the values yourself")
        return
    text = f"ALTER TABLE {table} ALTER COLUMN {column} "
    if not desired.tables[table]["columns"][column]["required"]:
        _step(reply, number, text + "DROP REQUIRED", ("column.allow-empty", "a column may have no value from now on"))
        return
    check = plan_pb2.Check(
        code="drawer.nulls-exist",
        count=f"SELECT count(*) FROM {table} WHERE {column} IS NULL",
        sentence="rows without a value stand against making the column required",
    )
    rule = ("column.require", "a column is required once every row has a value in it")
    _step(reply, number, text + "SET REQUIRED", rule, common_pb2.RISK_WARNING, checks=[check])


# By action, and whether it is about a column.
_MAKERS = {
    ("create", False): _create_table,
    ("drop", False): _drop_table,
    ("rename", False): _rename_table,
    ("create", True): _add_column,
    ("drop", True): _drop_column,
    ("rename", True): _rename_column,
    ("alter", True): _alter_column,
}
