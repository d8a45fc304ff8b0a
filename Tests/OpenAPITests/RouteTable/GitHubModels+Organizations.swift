import RestfulData

// MARK: Below an organization

extension GitHub {
    @Model("/orgs", key: "login")
    final class Organization {
        var identifier: Int?
        var login: String?
        @Relationship(inverse: "organization") var hooks: [OrgHook]
        @Relationship(inverse: "organization") var teams: [Team]
        @Relationship(inverse: "organization") var rulesets: [OrgRuleset]
        @Relationship(inverse: "organization") var secrets: [OrgSecret]
        @Relationship(inverse: "organization") var variables: [OrgVariable]
        @Relationship(inverse: "organization") var agentSecrets: [OrgAgentSecret]
        @Relationship(inverse: "organization") var agentVariables: [OrgAgentVariable]
        @Relationship(inverse: "organization") var dependabotSecrets: [OrgDependabotSecret]
        @Relationship(inverse: "organization") var codespacesSecrets: [OrgCodespacesSecret]
        @Relationship(inverse: "organization") var runners: [OrgRunner]
        @Relationship(inverse: "organization") var runnerGroups: [RunnerGroup]
        @Relationship(inverse: "organization") var hostedRunners: [HostedRunner]
        @Relationship(inverse: "organization") var invitations: [OrgInvitation]
        @Relationship(inverse: "organization") var migrations: [OrgMigration]
        @Relationship(inverse: "organization") var issueTypes: [IssueType]
        @Relationship(inverse: "organization") var issueFields: [IssueField]
        @Relationship(inverse: "organization") var projects: [OrgProject]
        @Relationship(inverse: "organization") var copilotSpaces: [CopilotSpace]
        @Relationship(inverse: "organization") var campaigns: [Campaign]
        @Relationship(inverse: "organization") var codeSecurityConfigurations: [CodeSecurityConfiguration]
        @Relationship(inverse: "organization") var networkConfigurations: [NetworkConfiguration]
        @Relationship(inverse: "organization") var privateRegistries: [PrivateRegistry]
        @Relationship(inverse: "organization") var members: [Member]
        @Relationship(inverse: "organization") var memberships: [OrgMembership]
        @Relationship(inverse: "organization") var outsideCollaborators: [OutsideCollaborator]
        @Relationship(inverse: "organization") var blocks: [OrgBlock]
        @Relationship(inverse: "organization") var organizationRoles: [OrganizationRole]
    }

    @Model("/orgs/:organization.login/hooks")
    final class OrgHook {
        var identifier: Int?
        var organization: Organization?
        @Relationship(inverse: "hook") var deliveries: [OrgHookDelivery]
    }

    @Model("/orgs/:organization.login/teams", key: "slug")
    final class Team {
        var identifier: Int?
        var slug: String?
        var organization: Organization?
    }

    @Model("/orgs/:organization.login/rulesets", saveMethod: .put)
    final class OrgRuleset {
        var identifier: Int?
        var organization: Organization?
    }

    @Model("/orgs/:organization.login/actions/secrets", key: "name", saveMethod: .put, creates: .put)
    final class OrgSecret {
        var identifier: Int?
        var name: String?
        var organization: Organization?
    }

    @Model("/orgs/:organization.login/actions/variables", key: "name")
    final class OrgVariable {
        var identifier: Int?
        var name: String?
        var organization: Organization?
    }

    @Model("/orgs/:organization.login/agents/secrets", key: "name", saveMethod: .put, creates: .put)
    final class OrgAgentSecret {
        var identifier: Int?
        var name: String?
        var organization: Organization?
    }

    @Model("/orgs/:organization.login/agents/variables", key: "name")
    final class OrgAgentVariable {
        var identifier: Int?
        var name: String?
        var organization: Organization?
    }

    @Model("/orgs/:organization.login/dependabot/secrets", key: "name", saveMethod: .put, creates: .put)
    final class OrgDependabotSecret {
        var identifier: Int?
        var name: String?
        var organization: Organization?
    }

    @Model("/orgs/:organization.login/codespaces/secrets", key: "name", saveMethod: .put, creates: .put)
    final class OrgCodespacesSecret {
        var identifier: Int?
        var name: String?
        var organization: Organization?
    }

    @Model("/orgs/:organization.login/actions/runners")
    final class OrgRunner {
        var identifier: Int?
        var organization: Organization?
    }

    @Model("/orgs/:organization.login/actions/runner-groups")
    final class RunnerGroup {
        var identifier: Int?
        var organization: Organization?
    }

    @Model("/orgs/:organization.login/actions/hosted-runners")
    final class HostedRunner {
        var identifier: Int?
        var organization: Organization?
    }

    @Model("/orgs/:organization.login/invitations")
    final class OrgInvitation {
        var identifier: Int?
        var organization: Organization?
    }

    @Model("/orgs/:organization.login/migrations")
    final class OrgMigration {
        var identifier: Int?
        var organization: Organization?
    }

    @Model("/orgs/:organization.login/issue-types", saveMethod: .put)
    final class IssueType {
        var identifier: Int?
        var organization: Organization?
    }

    @Model("/orgs/:organization.login/issue-fields")
    final class IssueField {
        var identifier: Int?
        var organization: Organization?
    }

    @Model("/orgs/:organization.login/projectsV2", key: "number")
    final class OrgProject {
        var identifier: Int?
        var number: Int?
        var organization: Organization?
    }

    @Model("/orgs/:organization.login/copilot-spaces", key: "number", saveMethod: .put)
    final class CopilotSpace {
        var identifier: Int?
        var number: Int?
        var organization: Organization?
    }

    @Model("/orgs/:organization.login/campaigns", key: "number")
    final class Campaign {
        var identifier: Int?
        var number: Int?
        var organization: Organization?
    }

    @Model("/orgs/:organization.login/code-security/configurations")
    final class CodeSecurityConfiguration {
        var identifier: Int?
        var organization: Organization?
    }

    @Model("/orgs/:organization.login/settings/network-configurations")
    final class NetworkConfiguration {
        var identifier: Int?
        var organization: Organization?
    }

    @Model("/orgs/:organization.login/private-registries", key: "name")
    final class PrivateRegistry {
        var identifier: Int?
        var name: String?
        var organization: Organization?
    }

    @Model("/orgs/:organization.login/members", key: "login")
    final class Member {
        var identifier: Int?
        var login: String?
        var organization: Organization?
    }

    @Model("/orgs/:organization.login/memberships", key: "login", saveMethod: .put, creates: .put)
    final class OrgMembership {
        var identifier: Int?
        var login: String?
        var organization: Organization?
    }

    @Model("/orgs/:organization.login/outside_collaborators", key: "login", saveMethod: .put, creates: .put)
    final class OutsideCollaborator {
        var identifier: Int?
        var login: String?
        var organization: Organization?
    }

    @Model("/orgs/:organization.login/blocks", key: "login")
    final class OrgBlock {
        var identifier: Int?
        var login: String?
        var organization: Organization?
    }

    @Model("/orgs/:organization.login/organization-roles")
    final class OrganizationRole {
        var identifier: Int?
        var organization: Organization?
    }
}
