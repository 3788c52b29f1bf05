import pulumi
import example_garden as garden

config = pulumi.Config()

bed = garden.Bed(
    "roses",
    soil=garden.BedSoil.SAND if config.get("soil") == "sand" else garden.BedSoil.PEAT,
)

name = garden.slug_output(title="My Rose").name

rose = garden.Plant(
    "rose",
    name=name,
    bed=bed.id,
    care={"water": 1.5, "light": garden.CareLight.SHADE},
    labels={"color": "red"},
    log=[garden.PlantLogArgs(by="Ada", hours=2), {"by": "Bob"}],
    gold=pulumi.Output.secret("under the rose"),
)

corner = garden.Corner(
    "corner",
    name="mint",
    care=garden.CareArgs(water=1),
    opts=pulumi.ResourceOptions(depends_on=[rose]),
)


def double(liters: float) -> float:
    return liters * 2


pulumi.export("bedId", bed.id)
pulumi.export("bedUrn", bed.urn)
pulumi.export("bedName", bed.name)
pulumi.export("buried", rose.buried)
pulumi.export("water", rose.care.water.apply(double))
pulumi.export("thirst", rose.thirst(days=4).liters)
pulumi.export("sha256", corner.sha256)
