package plan

// Verb is an operation of a resource.
type Verb string

const (
	Create Verb = "create"
	Read   Verb = "read"
	Update Verb = "update"
	Delete Verb = "delete"
	List   Verb = "list"
)

// ShorthandNames are the members of a response that are also top-level names.
var ShorthandNames = []string{"body", "status", "headers", "errors"}

// AnswerNames are the names of the latest response.
var AnswerNames = append([]string{"result"}, ShorthandNames...)
