package verdict

import (
	"fmt"
	"strings"

	"github.com/declprov/declprov/engine/value"
)

// GoneError is ErrGone by a response with a status of success: only a part of the spec says what it means, and does so also if a
// member in it is misspelt.
type GoneError struct{ text string }

func (e *GoneError) Error() string { return ErrGone.Error() + ": " + e.text }
func (e *GoneError) Unwrap() error { return ErrGone }

// GoneBy returns the error of an object that a part of the spec says does not exist, by the result of a step.
func GoneBy(part string, result any) error {
	response, _ := result.(map[string]any)
	status := fmt.Sprint(response["status"])
	if response["url"] == nil || !strings.HasPrefix(status, "2") {
		return ErrGone
	}
	return &GoneError{fmt.Sprintf("%s for the response of %v, which has status %s%s", part, response["url"], status, value.ListMembers(response["body"]))}
}
