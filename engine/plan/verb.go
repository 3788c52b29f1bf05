package plan

// Verb is which operation of a resource something belongs to.
type Verb string

const (
	Create Verb = "create"
	Read   Verb = "read"
	Update Verb = "update"
	Delete Verb = "delete"
	List   Verb = "list"
)

// ShorthandNames are members of an answer that are names of their own.
var ShorthandNames = []string{"body", "status", "headers"}

// AnswerNames are the names of the latest answer.
var AnswerNames = append([]string{"result"}, ShorthandNames...)
