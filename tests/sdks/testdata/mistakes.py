# What the type checkers find. The end of a line says what is found in it.
import pulumi
import example_garden as garden

bed = garden.Bed("bed")
care = garden.CareArgs(water=1)
rose = garden.Plant("rose", name="rose", bed=bed.id, care=care)

# Type hints.
garden.Bed("a", sol="loam")  # want mypy:call-overload pyright:reportCallIssue
garden.Bed("a", name=1)  # want mypy:call-overload pyright:reportArgumentType
none = rose.sha265  # want mypy:attr-defined pyright:reportAttributeAccessIssue

# Enums.
garden.Bed("a", soil=garden.BedSoil.CLAY)  # want mypy:attr-defined pyright:reportAttributeAccessIssue
garden.Bed("a", soil=garden.CareLight.SUN)  # want mypy:call-overload pyright:reportArgumentType

# Nested types, as classes and as dictionaries.
garden.CareArgs()  # want mypy:call-arg pyright:reportCallIssue
garden.CareArgs(water="1")  # want mypy:arg-type pyright:reportArgumentType
garden.Plant("a", name="a", bed=bed.id, care={"light": "sun"})  # want mypy:call-overload pyright:reportArgumentType
garden.Plant("a", name="a", bed=bed.id, care={"water": "1"})  # want mypy:call-overload pyright:reportArgumentType
garden.Plant("a", name="a", bed=bed.id, care=care, labels={"color": 1})  # want mypy:dict-item pyright:reportArgumentType
garden.Plant("a", name="a", bed=bed.id, care=care, log=[garden.CareArgs(water=1)])  # want mypy:list-item pyright:reportArgumentType

# Outputs are not plain values.
bed_id: str = bed.id  # want mypy:assignment pyright:reportAssignmentType
water: float = rose.care.water  # want mypy:assignment pyright:reportAssignmentType
garden.slug(title=bed.name)  # want mypy:arg-type pyright:reportArgumentType

# Identity: a name, an id and a URN are strings; a resource is none of them.
garden.Plant("a", name="a", bed=bed, care=care)  # want mypy:call-overload pyright:reportArgumentType
pulumi.ResourceOptions(depends_on=[bed.id])  # want mypy:list-item pyright:reportArgumentType
pulumi.ResourceOptions(parent=bed.urn)  # want mypy:arg-type pyright:reportArgumentType
garden.Bed("a", opts=pulumi.ResourceOptions(depends_on=[bed], parent=bed))

# Methods and components.
rose.thirst(days="4")  # want mypy:arg-type pyright:reportArgumentType
rose.thirst()  # want mypy:call-arg pyright:reportCallIssue
rose.drink()  # want mypy:attr-defined pyright:reportAttributeAccessIssue
garden.Corner("a", name=1)  # want mypy:call-overload pyright:reportArgumentType
