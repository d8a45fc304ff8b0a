import RestfulData

// Requests and replies of single companies' and projects' services, according to their documentation.

extension ScriptedService {
    static let companies = [github, gitLab, stripe, google, fhir, mastodon, cloudflare, linode]

    private static let numbered: [any Model.Type] = [Numbered.Album.self, Numbered.Track.self]

    /// https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api
    static let github = ScriptedService(
        name: "GitHub", conventions: .github, models: numbered,
        exchanges: [
            Exchange(
                "GET /albums?per_page=2", #"[{"id": 1, "title": "Blue Train"}, {"id": 2, "title": "Giant Steps"}]"#,
                link: #"</albums?page=2>; rel="next""#),
            Exchange("GET /albums?page=2", #"[{"id": 3, "title": "Coltrane's Sound"}]"#),
            Exchange(
                #"POST /albums {"title":"Blue","note":"draft"}"#, #"{"id": 4, "title": "Blue", "note": "draft"}"#,
                status: 201),
            Exchange(
                #"PATCH /albums/4 {"title":"Crescent","note":null}"#,
                #"{"id": 4, "title": "Crescent", "note": null}"#),
            Exchange(
                #"POST /albums/4/tracks {"title":"Wise One"}"#, #"{"id": 9, "title": "Wise One"}"#, status: 201),
            Exchange("DELETE /albums/4/tracks/9", status: 204),
            Exchange(
                #"PATCH /albums/4 {"title":""}"#,
                """
                {"message": "Validation Failed", "documentation_url": "https://docs.github.com/rest",
                 "errors": [{"resource": "Album", "field": "title", "code": "missing_field"}]}
                """, status: 422),
            Exchange(
                #"PATCH /albums/4 {"title":"Ascension"}"#, #"{"message": "Update is not a fast forward"}"#, status: 409),
            Exchange("GET /albums/4", #"{"id": 4, "title": "Meditations", "note": null}"#),
            Exchange("GET /albums/4", #"{"id": 4, "title": "Meditations", "note": null}"#),
            Exchange("DELETE /albums/4", status: 204),
        ],
        story: AlbumStory<Numbered.Album>(refusal: "missing_field").run)

    /// https://docs.gitlab.com/api/rest/#pagination and https://docs.gitlab.com/api/rest/troubleshooting/
    static let gitLab = ScriptedService(
        name: "GitLab", conventions: .gitLab, models: numbered,
        exchanges: [
            Exchange(
                "GET /albums?per_page=2", #"[{"id": 1, "title": "Blue Train"}, {"id": 2, "title": "Giant Steps"}]"#,
                link: #"</albums?id_after=2&pagination=keyset&per_page=2>; rel="next""#),
            Exchange(
                "GET /albums?id_after=2&pagination=keyset&per_page=2", #"[{"id": 3, "title": "Coltrane's Sound"}]"#),
            Exchange(
                #"POST /albums {"title":"Blue","note":"draft"}"#, #"{"id": 4, "title": "Blue", "note": "draft"}"#,
                status: 201),
            Exchange(
                #"PUT /albums/4 {"title":"Crescent","note":null}"#, #"{"id": 4, "title": "Crescent", "note": null}"#),
            Exchange(
                #"POST /albums/4/tracks {"title":"Wise One"}"#, #"{"id": 9, "title": "Wise One"}"#, status: 201),
            Exchange("DELETE /albums/4/tracks/9", status: 204),
            Exchange(
                #"PUT /albums/4 {"title":""}"#, #"{"message": {"title": ["can't be blank"]}}"#, status: 400),
            Exchange(#"PUT /albums/4 {"title":"Ascension"}"#, #"{"message": "409 Conflict"}"#, status: 409),
            Exchange("GET /albums/4", #"{"id": 4, "title": "Meditations", "note": null}"#),
            Exchange("GET /albums/4", #"{"id": 4, "title": "Meditations", "note": null}"#),
            Exchange("DELETE /albums/4", status: 204),
        ],
        story: AlbumStory<Numbered.Album>(refusal: "can't be blank").run)

    /// https://docs.stripe.com/api
    static let stripe = ScriptedService(
        name: "Stripe", conventions: .stripe, models: [Charged.Album.self, Charged.Track.self],
        contentType: "application/x-www-form-urlencoded",
        exchanges: [
            Exchange(
                "GET /v1/albums?limit=2",
                """
                {"object": "list", "url": "/v1/albums", "has_more": true,
                 "data": [{"id": "alb_1", "object": "album", "title": "Blue Train"},
                          {"id": "alb_2", "object": "album", "title": "Giant Steps"}]}
                """),
            Exchange(
                "GET /v1/albums?limit=2&starting_after=alb_2",
                """
                {"object": "list", "url": "/v1/albums", "has_more": false,
                 "data": [{"id": "alb_3", "object": "album", "title": "Coltrane's Sound"}]}
                """),
            Exchange(
                "POST /v1/albums title=Blue&note=draft",
                #"{"id": "alb_4", "object": "album", "title": "Blue", "note": "draft"}"#),
            Exchange(
                "POST /v1/albums/alb_4 title=Crescent&note=",
                #"{"id": "alb_4", "object": "album", "title": "Crescent", "note": null}"#),
            Exchange(
                "POST /v1/albums/alb_4/tracks title=Wise%20One",
                #"{"id": "trk_9", "object": "track", "title": "Wise One", "album": "alb_4"}"#),
            Exchange(
                "DELETE /v1/albums/alb_4/tracks/trk_9", #"{"id": "trk_9", "object": "track", "deleted": true}"#),
            Exchange(
                "POST /v1/albums/alb_4 title=",
                """
                {"error": {"type": "invalid_request_error", "code": "parameter_invalid_empty", "param": "title",
                           "message": "You passed an empty string for 'title'."}}
                """, status: 400),
            Exchange(
                "POST /v1/albums/alb_4 title=Ascension",
                #"{"error": {"type": "invalid_request_error", "code": "lock_timeout", "message": "Try again."}}"#,
                status: 409),
            Exchange(
                "GET /v1/albums/alb_4", #"{"id": "alb_4", "object": "album", "title": "Meditations", "note": null}"#),
            Exchange(
                "GET /v1/albums/alb_4", #"{"id": "alb_4", "object": "album", "title": "Meditations", "note": null}"#),
            Exchange("DELETE /v1/albums/alb_4", #"{"id": "alb_4", "object": "album", "deleted": true}"#),
        ],
        story: AlbumStory<Charged.Album>(refusal: "You passed an empty string for 'title'.").run)

    /// https://google.aip.dev/132, 133, 134, 135, 158 and 193
    static let google = ScriptedService(
        name: "Google", conventions: .google, models: [ResourceNamed.Album.self, ResourceNamed.Track.self],
        exchanges: [
            Exchange(
                "GET /albums?pageSize=2",
                """
                {"albums": [{"name": "albums/1", "title": "Blue Train"}, {"name": "albums/2", "title": "Giant Steps"}],
                 "nextPageToken": "b2"}
                """),
            Exchange(
                "GET /albums?pageSize=2&pageToken=b2",
                #"{"albums": [{"name": "albums/3", "title": "Coltrane's Sound"}]}"#),
            Exchange(
                #"POST /albums {"title":"Blue","note":"draft"}"#,
                #"{"name": "albums/4", "title": "Blue", "note": "draft"}"#),
            Exchange(
                #"PATCH /albums/4?updateMask=title%2Cnote {"title":"Crescent"}"#,
                #"{"name": "albums/4", "title": "Crescent"}"#),
            Exchange(
                #"POST /albums/4/tracks {"title":"Wise One"}"#,
                #"{"name": "albums/4/tracks/9", "title": "Wise One"}"#),
            Exchange("DELETE /albums/4/tracks/9", "{}"),
            Exchange(
                #"PATCH /albums/4?updateMask=title {"title":""}"#,
                """
                {"error": {"code": 400, "message": "Request contains an invalid argument.", "status": "INVALID_ARGUMENT",
                 "details": [{"@type": "type.googleapis.com/google.rpc.BadRequest",
                              "fieldViolations": [{"field": "title", "description": "Title must not be empty."}]}]}}
                """, status: 400),
            Exchange(
                #"PATCH /albums/4?updateMask=title {"title":"Ascension"}"#,
                #"{"error": {"code": 409, "message": "The etag does not match.", "status": "ABORTED"}}"#, status: 409),
            Exchange("GET /albums/4", #"{"name": "albums/4", "title": "Meditations"}"#),
            Exchange("GET /albums/4", #"{"name": "albums/4", "title": "Meditations"}"#),
            Exchange("DELETE /albums/4", "{}"),
        ],
        story: AlbumStory<ResourceNamed.Album>(refusal: "Title must not be empty.").run)

    /// https://hl7.org/fhir/R4/http.html
    static let fhir = ScriptedService(
        name: "FHIR", conventions: .fhir, models: [Healthy.Library.self, Healthy.RelatedArtifact.self],
        accept: "application/fhir+json", contentType: "application/fhir+json",
        exchanges: [
            Exchange(
                "GET /Library?_count=2",
                """
                {"resourceType": "Bundle", "type": "searchset", "total": 3,
                 "link": [{"relation": "self", "url": "https://api.example.com/Library?_count=2"},
                          {"relation": "next", "url": "https://api.example.com/Library?_count=2&_page=2"}],
                 "entry": [{"fullUrl": "https://api.example.com/Library/a", "search": {"mode": "match"},
                            "resource": {"resourceType": "Library", "id": "a", "title": "Blue Train"}},
                           {"fullUrl": "https://api.example.com/Library/b", "search": {"mode": "match"},
                            "resource": {"resourceType": "Library", "id": "b", "title": "Giant Steps"}}]}
                """),
            Exchange(
                "GET /Library?_count=2&_page=2",
                """
                {"resourceType": "Bundle", "type": "searchset", "total": 3,
                 "link": [{"relation": "previous", "url": "https://api.example.com/Library?_count=2&_page=1"}],
                 "entry": [{"resource": {"resourceType": "Library", "id": "c", "title": "Coltrane's Sound"}}]}
                """),
            Exchange(
                #"POST /Library {"resourceType":"Library","title":"Blue","description":"draft"}"#,
                #"{"resourceType": "Library", "id": "d", "title": "Blue", "description": "draft"}"#, status: 201,
                eTag: #"W/"1""#),
            Exchange(
                #"PATCH /Library/d [{"op":"add","path":"/title","value":"Crescent"},"#
                    + #"{"op":"remove","path":"/description"}]"#,
                #"{"resourceType": "Library", "id": "d", "title": "Crescent"}"#, type: jsonPatch,
                ifMatch: #"W/"1""#, eTag: #"W/"2""#),
            Exchange(
                #"PATCH /Library/d [{"op":"add","path":"/relatedArtifact","#
                    + #""value":[{"type":"documentation","display":"Wise One"}]}]"#,
                """
                {"resourceType": "Library", "id": "d", "title": "Crescent",
                 "relatedArtifact": [{"type": "documentation", "display": "Wise One"}]}
                """, type: jsonPatch, ifMatch: #"W/"2""#, eTag: #"W/"3""#),
            Exchange(
                #"PATCH /Library/d [{"op":"remove","path":"/relatedArtifact"}]"#,
                #"{"resourceType": "Library", "id": "d", "title": "Crescent"}"#, type: jsonPatch,
                ifMatch: #"W/"3""#, eTag: #"W/"4""#),
            Exchange(
                #"PATCH /Library/d [{"op":"add","path":"/title","value":""}]"#,
                """
                {"resourceType": "OperationOutcome", "id": "x", "issue": [
                    {"severity": "error", "code": "required", "diagnostics": "a text must not be empty",
                     "expression": ["Library.title"]}]}
                """, status: 422, type: jsonPatch, ifMatch: #"W/"4""#),
            Exchange(
                #"PATCH /Library/d [{"op":"add","path":"/title","value":"Ascension"}]"#,
                """
                {"resourceType": "OperationOutcome", "issue": [
                    {"severity": "error", "code": "conflict", "diagnostics": "the current version is 5"}]}
                """, status: 412, type: jsonPatch, ifMatch: #"W/"4""#),
            Exchange("GET /Library/d", fhirMeditations, eTag: #"W/"5""#),
            Exchange("GET /Library/d", fhirMeditations, eTag: #"W/"5""#),
            Exchange(
                "DELETE /Library/d",
                """
                {"resourceType": "OperationOutcome", "issue": [
                    {"severity": "information", "code": "informational", "diagnostics": "1 resource was deleted"}]}
                """, ifMatch: #"W/"5""#),
        ],
        story: AlbumStory<Healthy.Library>(refusal: "a text must not be empty").run)

    private static let jsonPatch = "application/json-patch+json"
    private static let fhirMeditations = #"{"resourceType": "Library", "id": "d", "title": "Meditations"}"#

    /// https://docs.joinmastodon.org/methods/lists/
    static let mastodon = ScriptedService(
        name: "Mastodon", conventions: .mastodon, models: [Tooting.List.self, Tooting.Account.self],
        exchanges: [
            Exchange(
                "GET /api/v1/lists?limit=2",
                #"[{"id": "1", "title": "Blue Train"}, {"id": "2", "title": "Giant Steps"}]"#,
                link: #"</api/v1/lists?limit=2&max_id=2>; rel="next", </api/v1/lists?limit=2&min_id=1>; rel="prev""#),
            Exchange("GET /api/v1/lists?limit=2&max_id=2", #"[{"id": "3", "title": "Coltrane's Sound"}]"#),
            Exchange(
                #"POST /api/v1/lists {"title":"Blue","replies_policy":"draft"}"#,
                #"{"id": "4", "title": "Blue", "replies_policy": "draft"}"#),
            Exchange(
                #"PUT /api/v1/lists/4 {"title":"Crescent","replies_policy":"none"}"#,
                #"{"id": "4", "title": "Crescent", "replies_policy": "none"}"#),
            Exchange("GET /api/v1/accounts/5", #"{"id": "5", "acct": "Wise One"}"#),
            Exchange(#"POST /api/v1/lists/4/accounts {"account_ids":["5"]}"#, "{}"),
            Exchange(#"DELETE /api/v1/lists/4/accounts {"account_ids":["5"]}"#, "{}"),
            Exchange(
                #"PUT /api/v1/lists/4 {"title":""}"#, #"{"error": "Validation failed: Title can't be blank"}"#,
                status: 422),
            Exchange(#"PUT /api/v1/lists/4 {"title":"Ascension"}"#, #"{"error": "Edited meanwhile"}"#, status: 409),
            Exchange("GET /api/v1/lists/4", #"{"id": "4", "title": "Meditations", "replies_policy": "none"}"#),
            Exchange("GET /api/v1/lists/4", #"{"id": "4", "title": "Meditations", "replies_policy": "none"}"#),
            Exchange("DELETE /api/v1/lists/4", "{}"),
        ],
        story: AlbumStory<Tooting.List>(refusal: "can't be blank").run)

    /// https://developers.cloudflare.com/fundamentals/api/how-to/make-api-calls/
    static let cloudflare = ScriptedService(
        name: "Cloudflare", conventions: .cloudflare, models: numbered,
        exchanges: [
            Exchange(
                "GET /albums?per_page=2",
                """
                {"success": true, "errors": [], "messages": [],
                 "result": [{"id": 1, "title": "Blue Train"}, {"id": 2, "title": "Giant Steps"}],
                 "result_info": {"page": 1, "per_page": 2, "count": 2, "total_count": 3, "total_pages": 2}}
                """),
            Exchange(
                "GET /albums?per_page=2&page=2",
                """
                {"success": true, "errors": [], "messages": [], "result": [{"id": 3, "title": "Coltrane's Sound"}],
                 "result_info": {"page": 2, "per_page": 2, "count": 1, "total_count": 3, "total_pages": 2}}
                """),
            Exchange(
                #"POST /albums {"title":"Blue","note":"draft"}"#,
                cloudflareResult(#"{"id": 4, "title": "Blue", "note": "draft"}"#)),
            Exchange(
                #"PATCH /albums/4 {"title":"Crescent","note":null}"#,
                cloudflareResult(#"{"id": 4, "title": "Crescent", "note": null}"#)),
            Exchange(
                #"POST /albums/4/tracks {"title":"Wise One"}"#,
                cloudflareResult(#"{"id": 9, "title": "Wise One"}"#)),
            Exchange("DELETE /albums/4/tracks/9", cloudflareResult(#"{"id": 9}"#)),
            Exchange(
                #"PATCH /albums/4 {"title":""}"#,
                """
                {"success": false, "messages": [], "result": null,
                 "errors": [{"code": 1004, "message": "must not be empty", "source": {"pointer": "/title"}}]}
                """, status: 400),
            Exchange(
                #"PATCH /albums/4 {"title":"Ascension"}"#,
                """
                {"success": false, "messages": [], "result": null,
                 "errors": [{"code": 10013, "message": "The album was edited meanwhile."}]}
                """, status: 409),
            Exchange("GET /albums/4", cloudflareResult(#"{"id": 4, "title": "Meditations", "note": null}"#)),
            Exchange("GET /albums/4", cloudflareResult(#"{"id": 4, "title": "Meditations", "note": null}"#)),
            Exchange("DELETE /albums/4", cloudflareResult(#"{"id": 4}"#)),
        ],
        story: AlbumStory<Numbered.Album>(refusal: "must not be empty").run)

    private static func cloudflareResult(_ result: String) -> String {
        #"{"success": true, "errors": [], "messages": [], "result": "# + result + "}"
    }

    /// https://techdocs.akamai.com/linode-api/reference/pagination and …/errors
    static let linode = ScriptedService(
        name: "Linode", conventions: .linode, models: numbered,
        exchanges: [
            Exchange(
                "GET /albums?page_size=2",
                """
                {"data": [{"id": 1, "title": "Blue Train"}, {"id": 2, "title": "Giant Steps"}],
                 "page": 1, "pages": 2, "results": 3}
                """),
            Exchange(
                "GET /albums?page_size=2&page=2",
                #"{"data": [{"id": 3, "title": "Coltrane's Sound"}], "page": 2, "pages": 2, "results": 3}"#),
            Exchange(
                #"POST /albums {"title":"Blue","note":"draft"}"#, #"{"id": 4, "title": "Blue", "note": "draft"}"#),
            Exchange(
                #"PUT /albums/4 {"title":"Crescent","note":null}"#, #"{"id": 4, "title": "Crescent", "note": null}"#),
            Exchange(#"POST /albums/4/tracks {"title":"Wise One"}"#, #"{"id": 9, "title": "Wise One"}"#),
            Exchange("DELETE /albums/4/tracks/9", "{}"),
            Exchange(
                #"PUT /albums/4 {"title":""}"#, #"{"errors": [{"reason": "Too short.", "field": "title"}]}"#,
                status: 400),
            Exchange(
                #"PUT /albums/4 {"title":"Ascension"}"#, #"{"errors": [{"reason": "The album is busy."}]}"#,
                status: 409),
            Exchange("GET /albums/4", #"{"id": 4, "title": "Meditations", "note": null}"#),
            Exchange("GET /albums/4", #"{"id": 4, "title": "Meditations", "note": null}"#),
            Exchange("DELETE /albums/4", "{}"),
        ],
        story: AlbumStory<Numbered.Album>(refusal: "Too short.").run)
}
