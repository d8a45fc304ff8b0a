extension World {
    /// Throws 404; 301 or 307 for a former name; 403 for a write to an archived repository.
    func repositoryIndex(_ call: Call) throws(Refusal) -> Int {
        guard let found = repositoryIndex(owner: call.parameter("owner"), name: call.parameter("repo")) else {
            throw .notFound
        }
        if found.isFormerName {
            let rest = call.request.path.split(separator: "/").dropFirst(3).map { "/" + $0 }.joined()
            let query = call.request.query.isEmpty ? "" : "?" + call.request.query
            let location = "\(call.baseURL)/repositories/\(repositories[found.index].id)\(rest)\(query)"
            throw .moved(to: location, isWrite: call.request.isWrite)
        }
        return found.index
    }

    /// Throws 410 where issues are switched off, and as `repositoryIndex`.
    func issuesIndex(_ call: Call) throws(Refusal) -> Int {
        let index = try repositoryIndex(call)
        guard repositories[index].hasIssues else { throw .issuesDisabled }
        if call.request.isWrite && repositories[index].isArchived { throw .archived }
        return index
    }

    func issueIndex(_ call: Call) throws(Refusal) -> (repository: Int, issue: Int) {
        let repository = try issuesIndex(call)
        let number = try call.number("number")
        guard let issue = repositories[repository].issues.firstIndex(where: { $0.number == number }) else {
            throw repositories[repository].deletedIssueNumbers.contains(number) ? .issueDeleted : .notFound
        }
        return (repository, issue)
    }
}
