/// The server's JSON for an issue: its own values, and other resources within.
struct IssueBody: Decodable {
    var issue: Issue
    let user: User?
    let assignee: User?
    let assignees: [User]
    let labels: [Label]
    let milestone: MilestoneBody?
    let closedBy: User?

    private enum CodingKeys: String, CodingKey {
        case user, assignee, assignees, labels, milestone
        case closedBy = "closed_by"
    }

    init(from decoder: any Decoder) throws {
        issue = try Issue(from: decoder)
        let values = try decoder.container(keyedBy: CodingKeys.self)
        user = try values.decodeIfPresent(User.self, forKey: .user)
        assignee = try values.decodeIfPresent(User.self, forKey: .assignee)
        assignees = try values.decode([User].self, forKey: .assignees)
        labels = try values.decode([Label].self, forKey: .labels)
        milestone = try values.decodeIfPresent(MilestoneBody.self, forKey: .milestone)
        closedBy = try values.decodeIfPresent(User.self, forKey: .closedBy)
        issue.userID = user?.id
        issue.assigneeID = assignee?.id
        issue.milestoneID = milestone?.milestone.id
        issue.closedByID = closedBy?.id
    }
}

struct MilestoneBody: Decodable {
    var milestone: Milestone
    let creator: User?

    private enum CodingKeys: String, CodingKey {
        case creator
    }

    init(from decoder: any Decoder) throws {
        milestone = try Milestone(from: decoder)
        creator = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(User.self, forKey: .creator)
        milestone.creatorID = creator?.id
    }
}

struct RepositoryBody: Decodable {
    var repository: Repository
    let owner: User?

    private enum CodingKeys: String, CodingKey {
        case owner
    }

    init(from decoder: any Decoder) throws {
        repository = try Repository(from: decoder)
        owner = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(User.self, forKey: .owner)
        repository.ownerID = owner?.id
    }
}
