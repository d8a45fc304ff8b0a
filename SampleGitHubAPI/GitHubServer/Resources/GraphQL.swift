/// Deletes issues, which the REST API can't.
enum GraphQL {
    static func answer(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        guard let viewer = call.viewer.userID else { throw .requiresAuthentication }
        let input = try Input(call)
        guard try input.string("query")?.contains("deleteIssue") == true,
            case .object(let variables)? = input.object["variables"],
            case .string(let id)? = variables["id"]
        else { return failure("UNSUPPORTED", "This server takes deleteIssue alone, with the variable id.") }
        guard let (repository, issue) = world.issueIndex(nodeID: id) else {
            return failure("NOT_FOUND", "Could not resolve to a node with the global id of '\(id)'.")
        }
        guard world.repositories[repository].ownerID == viewer else {
            return failure("FORBIDDEN", "octocat does not have the correct permissions to execute `DeleteIssue`")
        }
        world.repositories[repository].deleteIssue(at: issue)
        _ = world.clock.tick()
        return .ok(
            .object {
                $0.put("data", JSON.object { $0.put("deleteIssue", JSON.object { $0.putNull("clientMutationId") }) })
            })
    }

    /// Errors come with 200.
    private static func failure(_ type: String, _ message: String) -> Reply {
        .ok(
            .object { body in
                body.put("data", JSON.object { $0.putNull("deleteIssue") })
                body.put(
                    "errors",
                    [
                        JSON.object { error in
                            error.put("type", type)
                            error.put("path", ["deleteIssue"])
                            error.put("message", message)
                        }
                    ])
            })
    }
}

extension World {
    fileprivate func issueIndex(nodeID: String) -> (repository: Int, issue: Int)? {
        for (index, repository) in repositories.enumerated() {
            let issue = repository.issues.firstIndex { Shapes.nodeID("Issue", $0.id) == nodeID }
            if let issue { return (index, issue) }
        }
        return nil
    }
}
