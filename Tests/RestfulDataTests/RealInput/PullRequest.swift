import RestfulData

@Model("/repos/:base_repository.full_name/pulls", key: "number")
final class PullRequest {
    var identifier: Int?
    var number: Int?
    var title = ""
    var user: User?
    var assignees: [User]
    var labels: [Label]
    var milestone: Milestone?
    @Relationship(json: "base.repo") var baseRepository: Repository?
    @Relationship(json: "head.repo") var headRepository: Repository?
}
