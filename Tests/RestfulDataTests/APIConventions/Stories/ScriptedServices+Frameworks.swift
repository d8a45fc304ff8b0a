import RestfulData

// Requests and replies of services that are made with a framework, or follow a standard, according to their
// documentation.

extension ScriptedService {
    static let frameworks = [rails, djangoREST, camelCase, jsonAPI, hal, laravel, oData, strapi]

    private static let numbered: [any Model.Type] = [Numbered.Album.self, Numbered.Track.self]

    /// https://guides.rubyonrails.org/api_app.html, errors as `render json: album.errors`
    static let rails = ScriptedService(
        name: "Rails", conventions: .rails, models: numbered,
        exchanges: [
            Exchange(
                "GET /albums?per_page=2",
                #"[{"id": 1, "title": "Blue Train", "note": null}, {"id": 2, "title": "Giant Steps", "note": null}]"#,
                link: #"</albums?page=2&per_page=2>; rel="next""#),
            Exchange(
                "GET /albums?page=2&per_page=2", #"[{"id": 3, "title": "Coltrane's Sound", "note": null}]"#),
            Exchange(
                #"POST /albums {"title":"Blue","note":"draft"}"#, #"{"id": 4, "title": "Blue", "note": "draft"}"#,
                status: 201),
            Exchange(
                #"PATCH /albums/4 {"title":"Crescent","note":null}"#,
                #"{"id": 4, "title": "Crescent", "note": null}"#),
            Exchange(
                #"POST /albums/4/tracks {"title":"Wise One"}"#, #"{"id": 9, "title": "Wise One", "album_id": 4}"#,
                status: 201),
            Exchange("DELETE /albums/4/tracks/9", status: 204),
            Exchange(#"PATCH /albums/4 {"title":""}"#, #"{"title": ["can't be blank"]}"#, status: 422),
            Exchange(#"PATCH /albums/4 {"title":"Ascension"}"#, #"{"error": "Stale object"}"#, status: 409),
            Exchange("GET /albums/4", #"{"id": 4, "title": "Meditations", "note": null}"#),
            Exchange("GET /albums/4", #"{"id": 4, "title": "Meditations", "note": null}"#),
            Exchange("DELETE /albums/4", status: 204),
        ],
        story: AlbumStory<Numbered.Album>(refusal: "can't be blank").run)

    /// https://www.django-rest-framework.org/api-guide/exceptions/
    static let djangoREST = ScriptedService(
        name: "Django REST Framework", conventions: .djangoREST, models: numbered,
        exchanges: [
            Exchange(
                "GET /albums/?page_size=2",
                """
                {"count": 3, "next": "https://api.example.com/albums/?page=2&page_size=2", "previous": null,
                 "results": [{"id": 1, "title": "Blue Train"}, {"id": 2, "title": "Giant Steps"}]}
                """),
            Exchange(
                "GET /albums/?page=2&page_size=2",
                """
                {"count": 3, "next": null, "previous": "https://api.example.com/albums/?page_size=2",
                 "results": [{"id": 3, "title": "Coltrane's Sound"}]}
                """),
            Exchange(
                #"POST /albums/ {"title":"Blue","note":"draft"}"#, #"{"id": 4, "title": "Blue", "note": "draft"}"#,
                status: 201),
            Exchange(
                #"PATCH /albums/4/ {"title":"Crescent","note":null}"#,
                #"{"id": 4, "title": "Crescent", "note": null}"#),
            Exchange(
                #"POST /albums/4/tracks/ {"title":"Wise One"}"#, #"{"id": 9, "title": "Wise One", "album": 4}"#,
                status: 201),
            Exchange("DELETE /albums/4/tracks/9/", status: 204),
            Exchange(
                #"PATCH /albums/4/ {"title":""}"#, #"{"title": ["This field may not be blank."]}"#, status: 400),
            Exchange(#"PATCH /albums/4/ {"title":"Ascension"}"#, #"{"detail": "Edited meanwhile."}"#, status: 409),
            Exchange("GET /albums/4/", #"{"id": 4, "title": "Meditations", "note": null}"#),
            Exchange("GET /albums/4/", #"{"id": 4, "title": "Meditations", "note": null}"#),
            Exchange("DELETE /albums/4/", status: 204),
        ],
        story: AlbumStory<Numbered.Album>(refusal: "This field may not be blank.").run)

    /// As of Express and others, with problem details (RFC 9457).
    static let camelCase = ScriptedService(
        name: "camelCase", conventions: .camelCase, models: numbered,
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
                #"POST /albums/4/tracks {"title":"Wise One"}"#, #"{"id": 9, "title": "Wise One", "albumId": 4}"#,
                status: 201),
            Exchange("DELETE /albums/4/tracks/9", status: 204),
            Exchange(
                #"PATCH /albums/4 {"title":""}"#,
                """
                {"type": "https://example.com/invalid", "title": "The request is invalid.", "status": 422,
                 "errors": [{"detail": "must not be empty", "pointer": "#/title"}]}
                """, status: 422),
            Exchange(
                #"PATCH /albums/4 {"title":"Ascension"}"#,
                #"{"type": "about:blank", "title": "Conflict", "status": 409}"#, status: 409),
            Exchange("GET /albums/4", #"{"id": 4, "title": "Meditations", "note": null}"#),
            Exchange("GET /albums/4", #"{"id": 4, "title": "Meditations", "note": null}"#),
            Exchange("DELETE /albums/4", status: 204),
        ],
        story: AlbumStory<Numbered.Album>(refusal: "must not be empty").run)

    /// https://jsonapi.org/format/1.1/
    static let jsonAPI = ScriptedService(
        name: "JSON:API", conventions: .jsonAPI, models: numbered, accept: "application/vnd.api+json",
        contentType: "application/vnd.api+json",
        exchanges: [
            Exchange(
                "GET /albums?page%5Bsize%5D=2",
                """
                {"links": {"self": "/albums", "next": "/albums?page[number]=2"},
                 "data": [{"type": "albums", "id": "1", "attributes": {"title": "Blue Train"}},
                          {"type": "albums", "id": "2", "attributes": {"title": "Giant Steps"}}]}
                """),
            Exchange(
                "GET /albums?page%5Bnumber%5D=2",
                #"{"data": [{"type": "albums", "id": "3", "attributes": {"title": "Coltrane's Sound"}}]}"#),
            Exchange(
                #"POST /albums {"data":{"type":"albums","attributes":{"title":"Blue","note":"draft"}}}"#,
                #"{"data": {"type": "albums", "id": "4", "attributes": {"title": "Blue", "note": "draft"}}}"#,
                status: 201),
            Exchange(
                #"PATCH /albums/4 {"data":{"type":"albums","id":"4","attributes":{"title":"Crescent","note":null}}}"#,
                #"{"data": {"type": "albums", "id": "4", "attributes": {"title": "Crescent", "note": null}}}"#),
            Exchange(
                #"POST /albums/4/tracks {"data":{"type":"tracks","attributes":{"title":"Wise One"}}}"#,
                #"{"data": {"type": "tracks", "id": "9", "attributes": {"title": "Wise One"}}}"#, status: 201),
            Exchange("DELETE /albums/4/tracks/9", status: 204),
            Exchange(
                #"PATCH /albums/4 {"data":{"type":"albums","id":"4","attributes":{"title":""}}}"#,
                """
                {"errors": [{"status": "422", "title": "Invalid", "detail": "can't be blank",
                             "source": {"pointer": "/data/attributes/title"}}]}
                """, status: 422),
            Exchange(
                #"PATCH /albums/4 {"data":{"type":"albums","id":"4","attributes":{"title":"Ascension"}}}"#,
                #"{"errors": [{"status": "409", "title": "Conflict"}]}"#, status: 409),
            Exchange("GET /albums/4", jsonAPIMeditations),
            Exchange("GET /albums/4", jsonAPIMeditations),
            Exchange("DELETE /albums/4", status: 204),
        ],
        story: AlbumStory<Numbered.Album>(refusal: "can't be blank").run)

    private static let jsonAPIMeditations =
        #"{"data": {"type": "albums", "id": "4", "attributes": {"title": "Meditations", "note": null}}}"#

    /// https://datatracker.ietf.org/doc/html/draft-kelly-json-hal, versions and errors as of Spring Data REST:
    /// https://docs.spring.io/spring-data/rest/reference/etags-and-other-conditionals.html
    static let hal = ScriptedService(
        name: "HAL", conventions: .hal, models: numbered, accept: "application/hal+json",
        contentType: "application/hal+json",
        exchanges: [
            Exchange(
                "GET /albums?size=2",
                """
                {"_embedded": {"albums": [
                    {"id": 1, "title": "Blue Train", "_links": {"self": {"href": "https://api.example.com/albums/1"}}},
                    {"id": 2, "title": "Giant Steps", "_links": {"self": {"href": "https://api.example.com/albums/2"}}}]},
                 "_links": {"self": {"href": "https://api.example.com/albums?size=2"},
                            "next": {"href": "https://api.example.com/albums?page=1&size=2"}},
                 "page": {"size": 2, "totalElements": 3, "totalPages": 2, "number": 0}}
                """),
            Exchange(
                "GET /albums?page=1&size=2",
                """
                {"_embedded": {"albums": [{"id": 3, "title": "Coltrane's Sound"}]},
                 "_links": {"prev": {"href": "https://api.example.com/albums?page=0&size=2"}},
                 "page": {"size": 2, "totalElements": 3, "totalPages": 2, "number": 1}}
                """),
            Exchange(
                #"POST /albums {"title":"Blue","note":"draft"}"#, #"{"id": 4, "title": "Blue", "note": "draft"}"#,
                status: 201, eTag: #""0""#),
            Exchange(
                #"PATCH /albums/4 {"title":"Crescent","note":null}"#,
                #"{"id": 4, "title": "Crescent", "note": null}"#, ifMatch: #""0""#, eTag: #""1""#),
            Exchange(
                #"POST /albums/4/tracks {"title":"Wise One"}"#,
                #"{"id": 9, "title": "Wise One", "_links": {"album": {"href": "https://api.example.com/albums/4"}}}"#,
                status: 201),
            Exchange("DELETE /albums/4/tracks/9", status: 204),
            Exchange(
                #"PATCH /albums/4 {"title":""}"#,
                """
                {"errors": [{"entity": "Album", "property": "title", "invalidValue": "",
                             "message": "must not be blank"}]}
                """, status: 400, ifMatch: #""1""#),
            Exchange(#"PATCH /albums/4 {"title":"Ascension"}"#, status: 412, ifMatch: #""1""#),
            Exchange("GET /albums/4", #"{"id": 4, "title": "Meditations", "note": null}"#, eTag: #""2""#),
            Exchange("GET /albums/4", #"{"id": 4, "title": "Meditations", "note": null}"#, eTag: #""2""#),
            Exchange("DELETE /albums/4", status: 204, ifMatch: #""2""#),
        ],
        story: AlbumStory<Numbered.Album>(refusal: "must not be blank").run)

    /// https://laravel.com/docs/eloquent-resources and https://laravel.com/docs/validation
    static let laravel = ScriptedService(
        name: "Laravel", conventions: .laravel, models: numbered,
        exchanges: [
            Exchange(
                "GET /albums?per_page=2",
                """
                {"data": [{"id": 1, "title": "Blue Train"}, {"id": 2, "title": "Giant Steps"}],
                 "links": {"first": "https://api.example.com/albums?page=1",
                           "last": "https://api.example.com/albums?page=2",
                           "prev": null, "next": "https://api.example.com/albums?page=2"},
                 "meta": {"current_page": 1, "from": 1, "last_page": 2, "per_page": 2, "to": 2, "total": 3}}
                """),
            Exchange(
                "GET /albums?page=2",
                """
                {"data": [{"id": 3, "title": "Coltrane's Sound"}],
                 "links": {"prev": "https://api.example.com/albums?page=1", "next": null},
                 "meta": {"current_page": 2, "from": 3, "last_page": 2, "per_page": 2, "to": 3, "total": 3}}
                """),
            Exchange(
                #"POST /albums {"title":"Blue","note":"draft"}"#,
                #"{"data": {"id": 4, "title": "Blue", "note": "draft"}}"#, status: 201),
            Exchange(
                #"PATCH /albums/4 {"title":"Crescent","note":null}"#,
                #"{"data": {"id": 4, "title": "Crescent", "note": null}}"#),
            Exchange(
                #"POST /albums/4/tracks {"title":"Wise One"}"#,
                #"{"data": {"id": 9, "title": "Wise One", "album_id": 4}}"#, status: 201),
            Exchange("DELETE /albums/4/tracks/9", status: 204),
            Exchange(
                #"PATCH /albums/4 {"title":""}"#,
                """
                {"message": "The title field is required.", "errors": {"title": ["The title field is required."]}}
                """, status: 422),
            Exchange(#"PATCH /albums/4 {"title":"Ascension"}"#, #"{"message": "Edited meanwhile."}"#, status: 409),
            Exchange("GET /albums/4", #"{"data": {"id": 4, "title": "Meditations", "note": null}}"#),
            Exchange("GET /albums/4", #"{"data": {"id": 4, "title": "Meditations", "note": null}}"#),
            Exchange("DELETE /albums/4", status: 204),
        ],
        story: AlbumStory<Numbered.Album>(refusal: "The title field is required.").run)

    /// https://docs.oasis-open.org/odata/odata/v4.01/odata-v4.01-part1-protocol.html
    static let oData = ScriptedService(
        name: "OData", conventions: .oData, models: [Catalogued.Album.self, Catalogued.Track.self],
        exchanges: [
            Exchange(
                "GET /Albums",
                """
                {"@odata.context": "https://api.example.com/$metadata#Albums",
                 "value": [{"id": 1, "title": "Blue Train"}, {"id": 2, "title": "Giant Steps"}],
                 "@odata.nextLink": "https://api.example.com/Albums?$skiptoken=2"}
                """, prefer: "odata.maxpagesize=2"),
            Exchange(
                "GET /Albums?$skiptoken=2",
                """
                {"@odata.context": "https://api.example.com/$metadata#Albums",
                 "value": [{"id": 3, "title": "Coltrane's Sound"}]}
                """, prefer: "odata.maxpagesize=2"),
            Exchange(
                #"POST /Albums {"title":"Blue","note":"draft"}"#,
                """
                {"@odata.context": "https://api.example.com/$metadata#Albums/$entity", "@odata.etag": "W/\\"1\\"",
                 "id": 4, "title": "Blue", "note": "draft"}
                """, status: 201, eTag: #"W/"1""#),
            Exchange(
                #"PATCH /Albums(4) {"title":"Crescent","note":null}"#, status: 204, ifMatch: #"W/"1""#,
                eTag: #"W/"2""#),
            Exchange(
                #"POST /Albums(4)/Tracks {"title":"Wise One"}"#, #"{"id": 9, "title": "Wise One"}"#, status: 201),
            Exchange("DELETE /Albums(4)/Tracks(9)", status: 204),
            Exchange(
                #"PATCH /Albums(4) {"title":""}"#,
                """
                {"error": {"code": "BadRequest", "message": "The album is invalid.",
                           "details": [{"code": "Required", "target": "title", "message": "The title is required."}]}}
                """, status: 400, ifMatch: #"W/"2""#),
            Exchange(
                #"PATCH /Albums(4) {"title":"Ascension"}"#,
                #"{"error": {"code": "PreconditionFailed", "message": "The album has another version."}}"#,
                status: 412, ifMatch: #"W/"2""#),
            Exchange("GET /Albums(4)", oDataMeditations, eTag: #"W/"3""#),
            Exchange("GET /Albums(4)", oDataMeditations, eTag: #"W/"3""#),
            Exchange("DELETE /Albums(4)", status: 204, ifMatch: #"W/"3""#),
        ],
        story: AlbumStory<Catalogued.Album>(refusal: "The title is required.").run)

    private static let oDataMeditations =
        #"{"@odata.etag": "W/\"3\"", "id": 4, "title": "Meditations", "note": null}"#

    /// https://docs.strapi.io/cms/api/rest and https://docs.strapi.io/cms/error-handling
    static let strapi = ScriptedService(
        name: "Strapi", conventions: .strapi, models: [Documented.Album.self, Documented.Track.self],
        exchanges: [
            Exchange(
                "GET /api/albums?pagination%5BpageSize%5D=2",
                """
                {"data": [{"id": 1, "documentId": "a1", "title": "Blue Train"},
                          {"id": 2, "documentId": "a2", "title": "Giant Steps"}],
                 "meta": {"pagination": {"page": 1, "pageSize": 2, "pageCount": 2, "total": 3}}}
                """),
            Exchange(
                "GET /api/albums?pagination%5BpageSize%5D=2&pagination%5Bpage%5D=2",
                """
                {"data": [{"id": 3, "documentId": "a3", "title": "Coltrane's Sound"}],
                 "meta": {"pagination": {"page": 2, "pageSize": 2, "pageCount": 2, "total": 3}}}
                """),
            Exchange(
                #"POST /api/albums {"data":{"title":"Blue","note":"draft"}}"#,
                #"{"data": {"id": 4, "documentId": "a4", "title": "Blue", "note": "draft"}, "meta": {}}"#, status: 201),
            Exchange(
                #"PUT /api/albums/a4 {"data":{"title":"Crescent","note":null}}"#,
                #"{"data": {"id": 4, "documentId": "a4", "title": "Crescent", "note": null}, "meta": {}}"#),
            Exchange(
                #"POST /api/tracks {"data":{"title":"Wise One","album":"a4"}}"#,
                #"{"data": {"id": 9, "documentId": "t9", "title": "Wise One"}, "meta": {}}"#, status: 201),
            Exchange(
                #"PUT /api/tracks/t9 {"data":{"album":null}}"#,
                #"{"data": {"id": 9, "documentId": "t9", "title": "Wise One"}, "meta": {}}"#),
            Exchange(
                #"PUT /api/albums/a4 {"data":{"title":""}}"#,
                """
                {"data": null, "error": {"status": 400, "name": "ValidationError", "message": "title is required",
                 "details": {"errors": [{"path": ["title"], "message": "title is required",
                                         "name": "ValidationError", "value": ""}]}}}
                """, status: 400),
            Exchange(
                #"PUT /api/albums/a4 {"data":{"title":"Ascension"}}"#,
                #"{"data": null, "error": {"status": 409, "name": "ConflictError", "message": "no", "details": {}}}"#,
                status: 409),
            Exchange("GET /api/albums/a4", strapiMeditations),
            Exchange("GET /api/albums/a4", strapiMeditations),
            Exchange("DELETE /api/albums/a4", status: 204),
        ],
        story: AlbumStory<Documented.Album>(refusal: "title is required").run)

    private static let strapiMeditations =
        #"{"data": {"id": 4, "documentId": "a4", "title": "Meditations", "note": null}, "meta": {}}"#
}
