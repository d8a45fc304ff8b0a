import RestfulData

// MARK: Elsewhere, and below these

extension GitHub {
    @Model("/gists")
    final class Gist {
        var identifier: String?
        @Relationship(inverse: "gist") var comments: [GistComment]
    }

    @Model("/user/keys")
    final class PublicKey {
        var identifier: Int?
    }

    @Model("/user/gpg_keys")
    final class GPGKey {
        var identifier: Int?
    }

    @Model("/user/ssh_signing_keys")
    final class SigningKey {
        var identifier: Int?
    }

    @Model("/user/codespaces", key: "name")
    final class Codespace {
        var identifier: Int?
        var name: String?
    }

    @Model("/user/codespaces/secrets", key: "name", saveMethod: .put, creates: .put)
    final class UserCodespacesSecret {
        var identifier: Int?
        var name: String?
    }

    @Model("/user/migrations")
    final class UserMigration {
        var identifier: Int?
    }

    @Model("/user/repository_invitations")
    final class UserInvitation {
        var identifier: Int?
    }

    @Model("/user/memberships/orgs", key: "login")
    final class UserMembership {
        var identifier: Int?
        var login: String?
    }

    @Model("/user/installations")
    final class UserInstallation {
        var identifier: Int?
    }

    @Model("/notifications/threads")
    final class Thread {
        var identifier: Int?
    }

    @Model("/notifications")
    final class Notification {
        var identifier: Int?
    }

    @Model("/users", key: "login")
    final class User {
        var identifier: Int?
        var login: String?
    }

    @Model("/app/installations")
    final class AppInstallation {
        var identifier: Int?
    }

    @Model("/app/hook/deliveries")
    final class AppDelivery {
        var identifier: Int?
    }

    @Model("/classrooms")
    final class Classroom {
        var identifier: Int?
    }

    @Model("/assignments")
    final class Assignment {
        var identifier: Int?
    }

    @Model("/licenses", key: "key")
    final class License {
        var identifier: Int?
        var key: String?
    }

    @Model("/codes_of_conduct", key: "key")
    final class CodeOfConduct {
        var identifier: Int?
        var key: String?
    }

    @Model("/advisories", key: "ghsaID")
    final class GlobalAdvisory {
        var identifier: Int?
        var ghsaID: String?
    }

    @Model("/events")
    final class Event {
        var identifier: Int?
    }

    @Model("/user/social_accounts", key: "provider")
    final class SocialAccount {
        var identifier: Int?
        var provider: String?
    }

    @Model("/user/emails", key: "email")
    final class Email {
        var identifier: Int?
        var email: String?
    }

    @Model("/marketplace_listing/plans")
    final class MarketplacePlan {
        var identifier: Int?
    }

    @Model("/repos/:issue.repository.full_name/issues/:issue.number/labels", key: "name")
    final class IssueLabel {
        var identifier: Int?
        var name: String?
        var issue: Issue?
    }

    @Model("/repos/:issue.repository.full_name/issues/:issue.number/reactions")
    final class IssueReaction {
        var identifier: Int?
        var issue: Issue?
    }

    @Model("/repos/:issue.repository.full_name/issues/:issue.number/comments")
    final class CommentOfIssue {
        var identifier: Int?
        var issue: Issue?
    }

    @Model("/repos/:issue.repository.full_name/issues/:issue.number/timeline")
    final class TimelineEvent {
        var identifier: Int?
        var issue: Issue?
    }

    @Model("/repos/:pull.repository.full_name/pulls/:pull.number/reviews", saveMethod: .put)
    final class Review {
        var identifier: Int?
        var pull: PullRequest?
    }

    @Model("/repos/:pull.repository.full_name/pulls/:pull.number/commits", key: "sha")
    final class PullCommit {
        var identifier: Int?
        var sha: String?
        var pull: PullRequest?
    }

    @Model("/repos/:pull.repository.full_name/pulls/:pull.number/files", key: "filename")
    final class PullFile {
        var identifier: Int?
        var filename: String?
        var pull: PullRequest?
    }

    @Model("/repos/:deployment.repository.full_name/deployments/:deployment.id/statuses")
    final class DeploymentStatus {
        var identifier: Int?
        var deployment: Deployment?
    }

    @Model(
        "/repos/:environment.repository.full_name/environments/:environment.name/secrets", key: "name",
        saveMethod: .put, creates: .put
    )
    final class EnvironmentSecret {
        var identifier: Int?
        var name: String?
        var environment: Environment?
    }

    @Model("/repos/:environment.repository.full_name/environments/:environment.name/variables", key: "name")
    final class EnvironmentVariable {
        var identifier: Int?
        var name: String?
        var environment: Environment?
    }

    @Model("/repos/:hook.repository.full_name/hooks/:hook.id/deliveries")
    final class HookDelivery {
        var identifier: Int?
        var hook: Hook?
    }

    @Model("/repos/:release.repository.full_name/releases/:release.id/reactions")
    final class ReleaseReaction {
        var identifier: Int?
        var release: Release?
    }

    @Model("/repos/:run.repository.full_name/actions/runs/:run.id/jobs")
    final class RunJob {
        var identifier: Int?
        var run: WorkflowRun?
    }

    @Model("/repos/:run.repository.full_name/actions/runs/:run.id/artifacts")
    final class RunArtifact {
        var identifier: Int?
        var run: WorkflowRun?
    }

    @Model("/gists/:gist.id/comments")
    final class GistComment {
        var identifier: Int?
        var gist: Gist?
    }

    @Model("/orgs/:hook.organization.login/hooks/:hook.id/deliveries")
    final class OrgHookDelivery {
        var identifier: Int?
        var hook: OrgHook?
    }
}
