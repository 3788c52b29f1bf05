// What the type checker finds. The end of a line says what is found in it.
import * as pulumi from "@pulumi/pulumi";
import * as garden from "@example/garden";

const bed = new garden.Bed("bed");
const care = { water: 1, light: "sun" } as const;
const rose = new garden.Plant("rose", { name: "rose", bed: bed.id, care });

// Properties.
new garden.Bed("a", { sol: "loam" }); // want tsc:TS2561
new garden.Bed("a", { soil: "clay" }); // want tsc:TS2322
new garden.Bed("a", { name: 1 }); // want tsc:TS2322
new garden.Plant("a", { name: "a", bed: bed.id }); // want tsc:TS2345
new garden.Plant("a", { name: "a", bed: bed.id, care: { water: "1" } }); // want tsc:TS2322
new garden.Plant("a", { name: "a", bed: bed.id, care: { water: 1, light: "moon" } }); // want tsc:TS2322
new garden.Plant("a", { name: "a", bed: bed.id, care: { light: "sun" } }); // want tsc:TS2322
new garden.Plant("a", { name: "a", bed: bed.id, care, labels: { color: 1 } }); // want tsc:TS2322
new garden.Plant("a", { name: "a", bed: bed.id, care, log: [{ hours: 1 }] }); // want tsc:TS2322
export const none = rose.sha265; // want tsc:TS2551

// Outputs are not plain values.
export const id: string = bed.id; // want tsc:TS2322
export const water: number = rose.care.water.apply(w => w * 2); // want tsc:TS2322
garden.slug({ title: bed.name }); // want tsc:TS2322

// Identity: a name, an id and a URN are strings; a resource is none of them.
new garden.Plant("a", { name: "a", bed: bed, care }); // want tsc:TS2322
new garden.Bed("a", {}, { dependsOn: [bed.id] }); // want tsc:TS2322
new garden.Bed("a", {}, { parent: bed.urn }); // want tsc:TS2322
new garden.Bed("a", {}, { dependsOn: [bed], parent: bed });

// Methods and components.
rose.thirst({ days: "4" }); // want tsc:TS2322
rose.thirst({}); // want tsc:TS2345
rose.drink(); // want tsc:TS2339
new garden.Corner("a", { name: "a" }); // want tsc:TS2345
pulumi.log.info("end");
