// Serves several API styles on a port of loopback: node main.js PORT
const graphql = require('./graphql.js')
const jsonrpc = require('./jsonrpc.js')
const soap = require('./soap.js')

const handlers = {
  '/graphql': graphql.handler,
  '/rpc': jsonrpc.handler,
  // What the servers have, for the tests.
  '/all': (_, response) => response.end(JSON.stringify({pets: graphql.all(), notes: jsonrpc.all(), members: soap.all()})),
}
const server = require('http').createServer((request, response) => handlers[request.url]?.(request, response))
soap.listen(server)
server.listen(Number(process.argv[2]), '127.0.0.1')
