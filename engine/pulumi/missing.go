package pulumi

import (
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec"
)

// configKey is the name of a setting in Pulumi's own configuration.
func configKey(program *engine.Program, setting string) string {
	return program.Metadata().Name + ":" + setting
}

// remedy says how to give a setting: by Pulumi's configuration, or by the environment.
func remedy(program *engine.Program, setting *spec.Property) string {
	key := configKey(program, setting.Name)
	command := "pulumi config set " + key + " VALUE"
	if setting.Secret {
		command = "pulumi config set --secret " + key // asks for it, so that no shell's history has it
	}
	text := "Run `" + command + "`"
	if len(setting.Env) > 0 {
		text += ", or set the environment variable " + strings.Join(setting.Env, " or ")
	}
	return text + "."
}

// withRemedies adds to what is wrong with a configuration how to give what is missing, on
// a line of its own.
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
