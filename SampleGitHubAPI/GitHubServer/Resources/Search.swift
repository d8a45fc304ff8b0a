/// `/search/issues`.
enum Search {
    static func issues(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        guard let text = call.query["q"] else {
            throw .validation(Refusal.FieldError(resource: "Search", field: "q", code: "missing"))
        }
        let terms = SearchTerms(text)
        let found = world.repositories.flatMap { repository in
            repository.issues.filter { terms.admit($0, in: repository, of: world) }.map { (repository, $0) }
        }
        let shapes = call.shapes(of: world)
        let page = Page(call.query)
        var reply = Reply.ok(
            .object { body in
                body.put("total_count", found.count)
                body.put("incomplete_results", false)
                body.put(
                    "items",
                    page.slice(of: sorted(found, call.query)).map { shapes.foundIssue($0.1, in: $0.0) })
            })
        reply.addLink(page, to: "/search/issues", call, count: found.count)
        return reply
    }

    private static func sorted(_ found: [(Repository, Issue)], _ query: Query) -> [(Repository, Issue)] {
        let sort = query["sort"]
        let sorted = found.sorted { left, right in
            switch sort {
            case "updated": (left.1.updatedAt, left.1.id) < (right.1.updatedAt, right.1.id)
            case "comments":
                (left.0.commentCount(ofIssue: left.1.number), left.1.id)
                    < (right.0.commentCount(ofIssue: right.1.number), right.1.id)
            default: (left.1.createdAt, left.1.id) < (right.1.createdAt, right.1.id)
            }
        }
        return query["order"] == "asc" ? sorted : sorted.reversed()
    }
}
