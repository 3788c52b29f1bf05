package pulumi

import (
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec"
)

// configKey returns the key of a setting in Pulumi's configuration.
func configKey(program *engine.Program, setting string) string {
	return program.Metadata().Name + ":" + setting
}

// remedy says how to set a setting: in Pulumi's configuration, or in the environment.
func remedy(program *engine.Program, setting *spec.Property) string {
	key := configKey(program, setting.Name)
	command := "pulumi config set " + key + " VALUE"
	if setting.IsSecret() {
		command = "pulumi config set --secret " + key // prompts for the value, so that it is not in the shell's history
	}
	text := "Run `" + command + "`"
	if len(setting.Env) > 0 {
		text += ", or set the environment variable " + strings.Join(setting.Env, " or ")
	}
	return text + "."
}

// withRemedies adds a line to the failure of each missing setting that says how to
// set it.
func withRemedies(program *engine.Program, settings property.Map, found []engine.Failure) []engine.Failure {
	declared, _ := program.Config()
	for i, f := range found {
		setting := declared.Field(f.Path)
		if setting == nil || !setting.Required {
			continue
		}
		if v, given := settings.GetOk(f.Path); !given || v.IsNull() {
			found[i].Reason += "\n" + remedy(program, setting)
		}
	}
	return found
}
