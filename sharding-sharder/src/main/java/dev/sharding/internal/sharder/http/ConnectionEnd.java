package dev.sharding.internal.sharder.http;

import java.util.concurrent.TimeUnit;

import io.netty.channel.ChannelHandlerContext;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;

/**
 * Ends a connection whatever has not been sent yet. To close it as Vert.x does waits for
 * that, and so for a client that takes nothing.
 */
final class ConnectionEnd {

	private ConnectionEnd() {
	}

	static void now(HttpConnection connection) {
		if (connection instanceof HttpServerConnection server) {
			server.channelHandlerContext().close();
		}
		else {
			connection.close();
		}
	}

	static void after(HttpConnection connection, long millis) {
		if (connection instanceof HttpServerConnection server) {
			ChannelHandlerContext context = server.channelHandlerContext();
			context.executor().schedule(() -> now(connection), millis, TimeUnit.MILLISECONDS);
		}
	}

}
