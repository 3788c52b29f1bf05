// Notes, by JSON-RPC 2.0.
const {JSONRPCServer, createJSONRPCErrorResponse} = require('json-rpc-2.0')

const notes = new Map()
const server = new JSONRPCServer()

class Missing extends Error {}
const found = title => {
  if (!notes.has(title)) throw new Missing(`there is no note ${title}`)
  return notes.get(title)
}
server.mapErrorToJSONRPCErrorResponse = (id, error) =>
  createJSONRPCErrorResponse(id, error instanceof Missing ? -32004 : -32001, error.message)

server.addMethod('notes.add', ({title, text}) => {
  if (notes.has(title)) throw new Error(`there is a note ${title}`)
  notes.set(title, {title, text, words: text.split(' ').length})
  return notes.get(title)
})
server.addMethod('notes.get', ({title}) => found(title))
server.addMethod('notes.set', ({title, text}) => Object.assign(found(title), {text, words: text.split(' ').length}))
server.addMethod('notes.remove', ({title}) => {
  found(title)
  return notes.delete(title)
})

const handler = async (request, response) => {
  let text = ''
  for await (const chunk of request) text += chunk
  const answer = await server.receive(JSON.parse(text))
  response.setHeader('Content-Type', 'application/json')
  response.end(JSON.stringify(answer))
}

module.exports = {handler, all: () => [...notes.values()]}
