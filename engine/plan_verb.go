package engine

// verb is which operation of a resource something belongs to.
type verb string

const (
	create verb = "create"
	read   verb = "read"
	update verb = "update"
	remove verb = "delete"
	list   verb = "list"
)

// shorthandNames are members of an answer that are names of their own.
var shorthandNames = []string{"body", "status", "headers"}

// answerNames are the names of the latest answer.
var answerNames = append([]string{"result"}, shorthandNames...)
