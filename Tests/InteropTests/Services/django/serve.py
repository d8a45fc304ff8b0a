"""A blog as Django REST Framework makes one, on a free loopback port, whose address it prints.

    DATABASE=/tmp/blog.sqlite python serve.py rest | camel | jsonapi

What has not changed is answered 304, in the ways that Django has for it: by digests of the bodies, which are compressed in one of
the styles and so weak there, and in JSON:API by dates alone.
"""

import contextlib
import os
import sys
import threading

import django
from django.conf import settings
from django.core.management import call_command
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application

STYLES = {
    # Ids for relationships, page objects, snake_case.
    "rest": {"DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.PageNumberPagination"},
    # Embedded objects, limit and offset, camelCase.
    "camel": {
        "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.LimitOffsetPagination",
        "DEFAULT_RENDERER_CLASSES": ["djangorestframework_camel_case.render.CamelCaseJSONRenderer"],
        "DEFAULT_PARSER_CLASSES": ["djangorestframework_camel_case.parser.CamelCaseJSONParser"],
    },
    "jsonapi": {
        "DEFAULT_PAGINATION_CLASS": "rest_framework_json_api.pagination.JsonApiPageNumberPagination",
        "DEFAULT_RENDERER_CLASSES": ["rest_framework_json_api.renderers.JSONRenderer"],
        "DEFAULT_PARSER_CLASSES": ["rest_framework_json_api.parsers.JSONParser"],
        "DEFAULT_METADATA_CLASS": "rest_framework_json_api.metadata.JSONAPIMetadata",
        "DEFAULT_FILTER_BACKENDS": ["rest_framework_json_api.filters.OrderingFilter"],
        "EXCEPTION_HANDLER": "rest_framework_json_api.exceptions.exception_handler",
    },
}


MIDDLEWARE = {
    "rest": ["django.middleware.http.ConditionalGetMiddleware", "django.middleware.locale.LocaleMiddleware"],
    "camel": ["django.middleware.gzip.GZipMiddleware", "django.middleware.http.ConditionalGetMiddleware"],
    # blog.jsonapi decorates its views.
    "jsonapi": [],
}


class Sent:
    """Counts the bodies that GETs were answered with: GET /sent."""

    def __init__(self, app):
        self.app, self.bodies, self.lock = app, 0, threading.Lock()

    def __call__(self, environ, start_response):
        if environ["PATH_INFO"] == "/sent":
            start_response("200 OK", [("Content-Type", "text/plain")])
            return [str(self.bodies).encode()]
        with contextlib.ExitStack() as stack:
            body = self.app(environ, start_response)
            if hasattr(body, "close"):
                stack.callback(body.close)
            chunks = list(body)
        if environ["REQUEST_METHOD"] == "GET" and any(chunks):
            with self.lock:
                self.bodies += 1
        return chunks


def configure(style, database):
    settings.configure(
        SECRET_KEY="of loopback only",
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF=f"blog.{style}",
        INSTALLED_APPS=["django.contrib.contenttypes", "rest_framework", "blog"],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": database}},
        DEFAULT_AUTO_FIELD="django.db.models.AutoField",
        APPEND_SLASH=True,
        MIDDLEWARE=[*MIDDLEWARE[style], "django.middleware.common.CommonMiddleware"],
        LOGGING={
            "version": 1,
            "disable_existing_loggers": False,
            "handlers": {"stderr": {"class": "logging.StreamHandler"}},
            "loggers": {"django.request": {"handlers": ["stderr"]}},
        },
        USE_TZ=True,
        # Dates with an offset, in one of the styles.
        TIME_ZONE="Asia/Kolkata" if style == "camel" else "UTC",
        REST_FRAMEWORK={
            "DEFAULT_AUTHENTICATION_CLASSES": [],
            "UNAUTHENTICATED_USER": None,
            "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
            "PAGE_SIZE": 10,
            **STYLES[style],
        },
        # Member names and types as JSON:API recommends them.
        JSON_API_FORMAT_FIELD_NAMES="camelize",
        JSON_API_FORMAT_TYPES="camelize",
        JSON_API_PLURALIZE_TYPES=True,
    )
    django.setup()


def main():
    configure(sys.argv[1], os.environ["DATABASE"])
    call_command("migrate", run_syncdb=True, verbosity=0)
    from blog import seeds

    seeds.reset()
    server = ThreadedWSGIServer(("127.0.0.1", 0), WSGIRequestHandler)
    server.set_app(Sent(get_wsgi_application()))
    print(f"Listening on http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
