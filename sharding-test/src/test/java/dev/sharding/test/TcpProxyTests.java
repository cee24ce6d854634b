package dev.sharding.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

class TcpProxyTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private ServerSocket echo;

	private TcpProxy proxy;

	private volatile Socket served;

	@BeforeEach
	void open() throws IOException {
		this.echo = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
		this.proxy = TcpProxy.to(this.echo.getLocalPort());
		Daemons.start("echo", this::serve);
	}

	@AfterEach
	void close() throws IOException {
		this.proxy.close();
		this.echo.close();
	}

	private void serve() {
		while (!this.echo.isClosed()) {
			try {
				Socket socket = this.echo.accept();
				this.served = socket;
				Daemons.start("echo-connection", () -> echo(socket));
			}
			catch (IOException ex) {
				return;
			}
		}
	}

	private static void echo(Socket socket) {
		try (socket) {
			socket.getInputStream().transferTo(socket.getOutputStream());
		}
		catch (IOException ex) {
			// The other side was cut.
		}
	}

	@Test
	void passesBytesBothWays() throws Exception {
		try (Socket socket = connect()) {
			assertThat(answer(socket, 7).get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(7);
			assertThat(this.proxy.connections()).isEqualTo(1);
		}
		await().atMost(PATIENCE).until(() -> this.proxy.connections() == 0);
	}

	@Test
	void asksWhereToAtEachConnection() throws Exception {
		AtomicInteger endpoint = new AtomicInteger();
		try (TcpProxy service = TcpProxy.toService(endpoint::get)) {
			try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), service.port())) {
				socket.setSoTimeout((int) PATIENCE.toMillis());
				assertThat(socket.getInputStream().read()).isEqualTo(-1);
			}
			endpoint.set(this.echo.getLocalPort());
			try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), service.port())) {
				assertThat(answer(socket, 7).get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(7);
			}
		}
	}

	@Test
	void delaysEachDirection() throws Exception {
		this.proxy.delay(Duration.ofMillis(150));
		try (Socket socket = connect()) {
			long start = System.nanoTime();
			answer(socket, 7).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(300));
		}
	}

	@Test
	void throttles() throws Exception {
		this.proxy.throttle(10_000);
		try (Socket socket = connect()) {
			long start = System.nanoTime();
			socket.getOutputStream().write(new byte[5_000]);
			assertThat(socket.getInputStream().readNBytes(5_000)).hasSize(5_000);
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(500));
		}
		assertThatIllegalArgumentException().isThrownBy(() -> this.proxy.throttle(0))
			.withMessage("'bytesPerSecond' must be positive (is 0)");
	}

	@Test
	void pausedBytesArriveAfterHeal() throws Exception {
		try (Socket socket = connect()) {
			this.proxy.pause();
			CompletableFuture<Integer> answer = answer(socket, 7);
			await().during(Duration.ofMillis(300)).atMost(PATIENCE).until(() -> !answer.isDone());
			this.proxy.heal();
			assertThat(answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(7);
		}
	}

	@Test
	void swallowedBytesNeverArriveAndTheirConnectionIsCutByHeal() throws Exception {
		try (Socket socket = connect()) {
			answer(socket, 1).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
			this.proxy.blackHole();
			CompletableFuture<Integer> answer = answer(socket, 7);
			await().during(Duration.ofMillis(300)).atMost(PATIENCE).until(() -> !answer.isDone());
			this.proxy.heal();
			assertThat(
					answer.handle((value, ex) -> (ex != null) ? -1 : value).get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
				.isEqualTo(-1);
		}
	}

	@Test
	void healEndsDelaysThatRun() throws Exception {
		this.proxy.delay(Duration.ofHours(1));
		this.proxy.throttle(1);
		try (Socket socket = connect()) {
			CompletableFuture<Integer> answer = answer(socket, 7);
			await().during(Duration.ofMillis(300)).atMost(PATIENCE).until(() -> !answer.isDone());
			this.proxy.heal();
			assertThat(answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(7);
		}
	}

	@Test
	void silentLinkDoesNotTellThatTheServerWentAway() throws Exception {
		for (Runnable silence : List.<Runnable>of(this.proxy::pause, this.proxy::blackHole)) {
			try (Socket socket = connect()) {
				answer(socket, 1).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
				silence.run();
				this.served.close();
				CompletableFuture<Boolean> ended = CompletableFuture.supplyAsync(() -> isEnded(socket));
				await().during(Duration.ofMillis(300)).atMost(PATIENCE).until(() -> !ended.isDone());
				this.proxy.heal();
				assertThat(ended.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
			}
			await().atMost(PATIENCE).until(() -> this.proxy.connections() == 0);
		}
	}

	@Test
	void cutsOpenConnectionsOnly() throws Exception {
		try (Socket old = connect()) {
			answer(old, 1).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
			this.proxy.cut();
			assertThat(isEnded(old)).isTrue();
		}
		try (Socket next = connect()) {
			assertThat(answer(next, 7).get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(7);
		}
	}

	@Test
	void refusesNewConnectionsUntilHeal() throws Exception {
		this.proxy.refuse();
		try (Socket refused = connect()) {
			assertThat(isEnded(refused)).isTrue();
		}
		this.proxy.heal();
		try (Socket next = connect()) {
			assertThat(answer(next, 7).get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(7);
		}
	}

	private Socket connect() throws IOException {
		return new Socket(InetAddress.getLoopbackAddress(), this.proxy.port());
	}

	private static CompletableFuture<Integer> answer(Socket socket, int value) {
		return CompletableFuture.supplyAsync(() -> {
			try {
				socket.getOutputStream().write(value);
				return socket.getInputStream().read();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		});
	}

	private static boolean isEnded(Socket socket) {
		try {
			socket.setSoTimeout((int) PATIENCE.toMillis());
			return socket.getInputStream().read() < 0;
		}
		catch (SocketTimeoutException ex) {
			return false;
		}
		catch (IOException ex) {
			return true;
		}
	}

}
