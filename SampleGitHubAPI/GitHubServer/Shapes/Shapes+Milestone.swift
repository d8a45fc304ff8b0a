extension Shapes {
    func path(of milestone: Milestone, in repository: Repository) -> String {
        "\(path(of: repository))/milestones/\(milestone.number)"
    }

    func milestone(_ milestone: Milestone, in repository: Repository) -> JSON {
        .object { json in
            let url = api(path(of: milestone, in: repository))
            json.put("url", url)
            json.put("html_url", web("/\(world.fullName(of: repository))/milestone/\(milestone.number)"))
            json.put("labels_url", url + "/labels")
            json.put("id", milestone.id)
            json.put("node_id", Shapes.nodeID("Milestone", milestone.id))
            json.put("number", milestone.number)
            json.put("title", milestone.title)
            json.put("description", milestone.description)
            json.put("creator", user(milestone.creatorID))
            json.put("open_issues", repository.issueCount(ofMilestone: milestone.number, .open))
            json.put("closed_issues", repository.issueCount(ofMilestone: milestone.number, .closed))
            json.put("state", milestone.state)
            json.put("created_at", milestone.createdAt)
            json.put("updated_at", milestone.updatedAt)
            json.put("due_on", milestone.dueOn)
            json.put("closed_at", milestone.closedAt)
        }
    }
}
