import * as pulumi from "@pulumi/pulumi";
import * as garden from "@example/garden";

const config = new pulumi.Config();

const bed = new garden.Bed("roses", {
    soil: config.get("soil") === "sand" ? garden.types.enums.BedSoil.Sand : garden.types.enums.BedSoil.Peat,
});

const name = garden.slugOutput({ title: "My Rose" }).name;

const rose = new garden.Plant("rose", {
    name,
    bed: bed.id,
    care: { water: 1.5, light: "shade" },
    labels: { color: "red" },
    log: [{ by: "Ada", hours: 2 }, { by: "Bob" }],
    gold: pulumi.secret("under the rose"),
});

const corner = new garden.Corner("corner", { name: "mint", care: { water: 1 } }, { dependsOn: [rose] });

export const bedId: pulumi.Output<string> = bed.id;
export const bedUrn = bed.urn;
export const bedName = bed.name;
export const buried = rose.buried;
export const water = rose.care.water.apply(liters => liters * 2);
export const thirst = rose.thirst({ days: 4 }).liters;
export const sha256 = corner.sha256;
