extension World {
    /// The index of the repository that the path names. Throws 404, 301 or 307 where it was renamed, 403 for a write
    /// where it is archived.
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

    /// The index of a repository that has issues. Throws 410 where they are switched off, and as `repositoryIndex`.
    func issuesIndex(_ call: Call) throws(Refusal) -> Int {
        let index = try repositoryIndex(call)
        guard repositories[index].hasIssues else { throw .issuesDisabled }
        if call.request.isWrite && repositories[index].isArchived { throw .archived }
        return index
    }

    /// The indexes of the repository and of its issue that the path names.
    func issueIndex(_ call: Call) throws(Refusal) -> (repository: Int, issue: Int) {
        let repository = try issuesIndex(call)
        let number = try call.number("number")
        guard let issue = repositories[repository].issues.firstIndex(where: { $0.number == number }) else {
            throw repositories[repository].deletedIssueNumbers.contains(number) ? .issueDeleted : .notFound
        }
        return (repository, issue)
    }
}
