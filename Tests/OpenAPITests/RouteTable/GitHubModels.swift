import RestfulData

/// GitHub's API as models: the operations of its 1,220 that follow from the conventions.
enum GitHub {}

// MARK: Below a repository

extension GitHub {
    @Model("/repos", key: "fullName")
    final class Repository {
        var identifier: Int?
        var fullName: String?
        @Relationship(inverse: "repository") var issues: [Issue]
        @Relationship(inverse: "repository") var pullRequests: [PullRequest]
        @Relationship(inverse: "repository") var labels: [Label]
        @Relationship(inverse: "repository") var milestones: [Milestone]
        @Relationship(inverse: "repository") var hooks: [Hook]
        @Relationship(inverse: "repository") var deployKeys: [DeployKey]
        @Relationship(inverse: "repository") var releases: [Release]
        @Relationship(inverse: "repository") var deployments: [Deployment]
        @Relationship(inverse: "repository") var autolinks: [Autolink]
        @Relationship(inverse: "repository") var checkRuns: [CheckRun]
        @Relationship(inverse: "repository") var checkSuites: [CheckSuite]
        @Relationship(inverse: "repository") var rulesets: [Ruleset]
        @Relationship(inverse: "repository") var environments: [Environment]
        @Relationship(inverse: "repository") var workflows: [Workflow]
        @Relationship(inverse: "repository") var workflowRuns: [WorkflowRun]
        @Relationship(inverse: "repository") var artifacts: [Artifact]
        @Relationship(inverse: "repository") var actionsCaches: [ActionsCache]
        @Relationship(inverse: "repository") var runners: [Runner]
        @Relationship(inverse: "repository") var actionsSecrets: [ActionsSecret]
        @Relationship(inverse: "repository") var actionsVariables: [ActionsVariable]
        @Relationship(inverse: "repository") var agentSecrets: [AgentSecret]
        @Relationship(inverse: "repository") var agentVariables: [AgentVariable]
        @Relationship(inverse: "repository") var dependabotSecrets: [DependabotSecret]
        @Relationship(inverse: "repository") var dependabotAlerts: [DependabotAlert]
        @Relationship(inverse: "repository") var codespacesSecrets: [CodespacesSecret]
        @Relationship(inverse: "repository") var codeScanningAlerts: [CodeScanningAlert]
        @Relationship(inverse: "repository") var codeScanningAnalyses: [CodeScanningAnalysis]
        @Relationship(inverse: "repository") var secretScanningAlerts: [SecretScanningAlert]
        @Relationship(inverse: "repository") var securityAdvisories: [SecurityAdvisory]
        @Relationship(inverse: "repository") var commitComments: [CommitComment]
        @Relationship(inverse: "repository") var invitations: [RepositoryInvitation]
        @Relationship(inverse: "repository") var issueComments: [IssueComment]
        @Relationship(inverse: "repository") var issueEvents: [IssueEvent]
        @Relationship(inverse: "repository") var reviewComments: [ReviewComment]
        @Relationship(inverse: "repository") var branches: [Branch]
        @Relationship(inverse: "repository") var pageBuilds: [PageBuild]
        @Relationship(inverse: "repository") var commits: [Commit]
        @Relationship(inverse: "repository") var collaborators: [Collaborator]
    }

    @Model("/repos/:repository.full_name/issues", key: "number")
    final class Issue {
        var identifier: Int?
        var number: Int?
        var repository: Repository?
        @Relationship(inverse: "issue") var issueLabels: [IssueLabel]
        @Relationship(inverse: "issue") var reactions: [IssueReaction]
        @Relationship(inverse: "issue") var comments: [CommentOfIssue]
        @Relationship(inverse: "issue") var timeline: [TimelineEvent]
    }

    @Model("/repos/:repository.full_name/pulls", key: "number")
    final class PullRequest {
        var identifier: Int?
        var number: Int?
        var repository: Repository?
        @Relationship(inverse: "pull") var reviews: [Review]
        @Relationship(inverse: "pull") var commits: [PullCommit]
        @Relationship(inverse: "pull") var files: [PullFile]
    }

    @Model("/repos/:repository.full_name/labels", key: "name")
    final class Label {
        var identifier: Int?
        var name: String?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/milestones", key: "number")
    final class Milestone {
        var identifier: Int?
        var number: Int?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/hooks")
    final class Hook {
        var identifier: Int?
        var repository: Repository?
        @Relationship(inverse: "hook") var deliveries: [HookDelivery]
    }

    @Model("/repos/:repository.full_name/keys")
    final class DeployKey {
        var identifier: Int?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/releases")
    final class Release {
        var identifier: Int?
        var repository: Repository?
        @Relationship(inverse: "release") var reactions: [ReleaseReaction]
    }

    @Model("/repos/:repository.full_name/releases/assets")
    final class ReleaseAsset {
        var identifier: Int?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/deployments")
    final class Deployment {
        var identifier: Int?
        var repository: Repository?
        @Relationship(inverse: "deployment") var statuses: [DeploymentStatus]
    }

    @Model("/repos/:repository.full_name/autolinks")
    final class Autolink {
        var identifier: Int?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/check-runs")
    final class CheckRun {
        var identifier: Int?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/check-suites")
    final class CheckSuite {
        var identifier: Int?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/rulesets", saveMethod: .put)
    final class Ruleset {
        var identifier: Int?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/environments", key: "name", saveMethod: .put, creates: .put)
    final class Environment {
        var identifier: Int?
        var name: String?
        var repository: Repository?
        @Relationship(inverse: "environment") var secrets: [EnvironmentSecret]
        @Relationship(inverse: "environment") var variables: [EnvironmentVariable]
    }

    @Model("/repos/:repository.full_name/actions/workflows")
    final class Workflow {
        var identifier: Int?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/actions/runs")
    final class WorkflowRun {
        var identifier: Int?
        var repository: Repository?
        @Relationship(inverse: "run") var jobs: [RunJob]
        @Relationship(inverse: "run") var artifacts: [RunArtifact]
    }

    @Model("/repos/:repository.full_name/actions/jobs")
    final class Job {
        var identifier: Int?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/actions/artifacts")
    final class Artifact {
        var identifier: Int?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/actions/caches")
    final class ActionsCache {
        var identifier: Int?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/actions/runners")
    final class Runner {
        var identifier: Int?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/actions/secrets", key: "name", saveMethod: .put, creates: .put)
    final class ActionsSecret {
        var identifier: Int?
        var name: String?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/actions/variables", key: "name")
    final class ActionsVariable {
        var identifier: Int?
        var name: String?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/agents/secrets", key: "name", saveMethod: .put, creates: .put)
    final class AgentSecret {
        var identifier: Int?
        var name: String?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/agents/variables", key: "name")
    final class AgentVariable {
        var identifier: Int?
        var name: String?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/dependabot/secrets", key: "name", saveMethod: .put, creates: .put)
    final class DependabotSecret {
        var identifier: Int?
        var name: String?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/dependabot/alerts", key: "number")
    final class DependabotAlert {
        var identifier: Int?
        var number: Int?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/codespaces/secrets", key: "name", saveMethod: .put, creates: .put)
    final class CodespacesSecret {
        var identifier: Int?
        var name: String?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/code-scanning/alerts", key: "number")
    final class CodeScanningAlert {
        var identifier: Int?
        var number: Int?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/code-scanning/analyses")
    final class CodeScanningAnalysis {
        var identifier: Int?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/secret-scanning/alerts", key: "number")
    final class SecretScanningAlert {
        var identifier: Int?
        var number: Int?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/security-advisories", key: "ghsaID")
    final class SecurityAdvisory {
        var identifier: Int?
        var ghsaID: String?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/comments")
    final class CommitComment {
        var identifier: Int?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/invitations")
    final class RepositoryInvitation {
        var identifier: Int?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/issues/comments")
    final class IssueComment {
        var identifier: Int?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/issues/events")
    final class IssueEvent {
        var identifier: Int?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/pulls/comments")
    final class ReviewComment {
        var identifier: Int?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/branches", key: "name")
    final class Branch {
        var identifier: Int?
        var name: String?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/pages/builds")
    final class PageBuild {
        var identifier: Int?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/commits", key: "sha")
    final class Commit {
        var identifier: Int?
        var sha: String?
        var repository: Repository?
    }

    @Model("/repos/:repository.full_name/collaborators", key: "login", saveMethod: .put, creates: .put)
    final class Collaborator {
        var identifier: Int?
        var login: String?
        var repository: Repository?
    }
}
