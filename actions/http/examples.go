package http

import "github.com/declprov/declprov/actions"

func examples() []actions.Example {
	return []actions.Example{}
}
