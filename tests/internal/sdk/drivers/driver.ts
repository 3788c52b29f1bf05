// Runs index.ts through the Automation API: reads commands from standard input, and prints
// the outcome of each as a line of JSON.
import * as readline from "node:readline";
import { LocalWorkspace, OutputMap, PulumiCommand } from "@pulumi/pulumi/automation";

interface Outcome {
    changes?: Record<string, number>;
    outputs?: OutputMap;
    error?: string;
}

async function program(): Promise<Record<string, unknown>> {
    delete require.cache[require.resolve("./index")];
    return require("./index");
}

async function main(): Promise<void> {
    const stack = await LocalWorkspace.createOrSelectStack(
        { stackName: "dev", projectName: "test", program },
        { workDir: process.cwd(), pulumiCommand: await PulumiCommand.get({ root: process.env.PULUMI_ROOT }) },
    );
    async function run(command: string, ...args: string[]): Promise<Outcome> {
        switch (command) {
            case "preview":
                return { changes: (await stack.preview()).changeSummary };
            case "up": {
                const result = await stack.up();
                return { changes: result.summary.resourceChanges, outputs: result.outputs };
            }
            case "destroy":
                return { changes: (await stack.destroy()).summary.resourceChanges };
            case "set":
                await stack.setConfig(args[0]!, { value: args[1]! });
                return {};
            default:
                return { error: `unknown command ${command}` };
        }
    }
    for await (const line of readline.createInterface({ input: process.stdin })) {
        const [command, ...args] = line.split(" ");
        const outcome = await run(command!, ...args).catch((err: unknown): Outcome => ({ error: String(err) }));
        console.log(JSON.stringify(outcome));
    }
}

void main();
