package dev.sharding.test;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntSupplier;

import dev.sharding.controlplane.ControlPlaneBinaries;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;

/**
 * A real etcd and one or more real kube-apiservers, as child processes of this JVM that
 * listen on loopback only. They end when it is closed, and when the JVM ends, also by
 * {@code kill -9}.
 *
 * <p>
 * There is no controller manager: namespaces that are deleted stay Terminating, owner
 * references are not collected, and there is no ServiceAccount "default". Methods can be
 * called from any thread.
 */
public final class ControlPlane implements AutoCloseable {

	private final ControlPlaneBinaries binaries;

	private final ServerFiles files;

	private final List<String> flags;

	private final IntSupplier ports;

	private final Etcd etcd;

	private final List<ApiServer> apiServers = new CopyOnWriteArrayList<>();

	private final Clients clients = new Clients();

	private final DeathWatch deathWatch = new DeathWatch();

	private final Thread cleaner = new Thread(this::end, "control-plane-cleaner");

	private volatile @Nullable KubernetesClient client;

	ControlPlane(ControlPlaneBinaries binaries, ServerFiles files, List<String> flags, List<String> etcdFlags,
			IntSupplier ports) {
		this.binaries = binaries;
		this.files = files;
		this.flags = flags;
		this.ports = ports;
		this.etcd = new Etcd(binaries.etcd(), files.folder(), ports.getAsInt(), ports.getAsInt(), etcdFlags,
				this.deathWatch::died);
		this.apiServers.add(newApiServer("kube-apiserver"));
	}

	/** Describes a control plane. */
	public static ControlPlaneBuilder builder() {
		return new ControlPlaneBuilder();
	}

	/**
	 * Starts a control plane with the defaults.
	 * @return the control plane; close it, or it runs until the JVM ends
	 * @see ControlPlaneBuilder#start()
	 */
	public static ControlPlane start() {
		return builder().start();
	}

	void startProcesses() {
		Runtime.getRuntime().addShutdownHook(this.cleaner);
		this.etcd.process().start();
		apiServer().process().start();
	}

	private ApiServer newApiServer(String name) {
		return new ApiServer(name, this.binaries.kubeApiserver(), this.files, this.etcd, this.ports.getAsInt(),
				this.flags, this.deathWatch::died);
	}

	/** The etcd. */
	public Etcd etcd() {
		return this.etcd;
	}

	/** The first API server. */
	public ApiServer apiServer() {
		return this.apiServers.get(0);
	}

	/**
	 * Starts one more API server on the same etcd, with the same flags and users.
	 * @return the server, ready
	 */
	public ApiServer startAnotherApiServer() {
		ApiServer another = newApiServer("kube-apiserver-" + (this.apiServers.size() + 1));
		this.apiServers.add(another);
		another.process().start();
		return another;
	}

	/** The administrator at the first API server: may do everything. */
	public Access admin() {
		return new Access("admin", this.files.adminToken(), apiServer().port(), this.files, this.clients);
	}

	/**
	 * A client of the administrator at the first API server: the same one each time. Do
	 * not close it.
	 */
	public synchronized KubernetesClient client() {
		KubernetesClient shared = this.client;
		if (shared == null) {
			shared = admin().client();
			this.client = shared;
		}
		return shared;
	}

	/** The kubeconfig of the administrator. */
	public String kubeconfig() {
		return admin().kubeconfig();
	}

	/**
	 * Creates a user who may do what the rules say, in all namespaces, and nothing else:
	 * a ServiceAccount in the namespace "default" with a token of its own.
	 * @param name the name of the ServiceAccount; the API server knows the user as
	 * {@code system:serviceaccount:default:<name>}
	 * @param rules what the user may do
	 * @return access for the user at the first API server
	 */
	public Access user(String name, PolicyRule... rules) {
		return user(name, Users.ALL_NAMESPACES, rules);
	}

	/**
	 * Creates a user who may do what the rules say in one namespace, and nothing else.
	 * @param name the name of the ServiceAccount
	 * @param namespace where the rules hold
	 * @param rules what the user may do
	 * @return access for the user at the first API server
	 */
	public Access userIn(String name, String namespace, PolicyRule... rules) {
		return user(name, namespace, rules);
	}

	private Access user(String name, String namespace, PolicyRule... rules) {
		String token = Users.create(client(), name, namespace, List.of(rules));
		return new Access(Users.userName(name), token, apiServer().port(), this.files, this.clients);
	}

	/**
	 * Makes lists and watches that continue from a version of before this call fail with
	 * 410 (Expired).
	 *
	 * <p>
	 * Two memories have to go. etcd forgets old revisions by compaction; that alone fails
	 * what the API server reads from etcd: lists at an exact version, continue tokens. A
	 * watch is served from the watch cache of the API server, which still has its events;
	 * it forgets them when its process restarts. So this compacts, and restarts the API
	 * servers that run.
	 */
	public void forgetHistory() {
		this.etcd.compact();
		for (ApiServer apiServer : this.apiServers) {
			if (apiServer.process().isAlive()) {
				apiServer.process().restart();
			}
		}
	}

	/**
	 * Runs a body that fails at once when a process of the control plane dies, however it
	 * waits: its thread is interrupted, and this throws. The JUnit extension does this
	 * for each test.
	 * @param body what to run, in the calling thread
	 * @return what the body returned
	 * @throws ControlPlaneDiedException if a process died before, or if one died and the
	 * body failed
	 * @throws Exception what the body threw
	 */
	public <T extends @Nullable Object> T failFast(Callable<T> body) throws Exception {
		return this.deathWatch.guard(() -> {
			// A death of before interrupts nobody.
			checkAlive();
			return body.call();
		});
	}

	/**
	 * Throws if a process ended although nobody asked it to.
	 * @throws ControlPlaneDiedException with the last lines of its log
	 */
	public void checkAlive() {
		if (this.etcd.process().hasDied()) {
			throw this.etcd.process().died();
		}
		for (ApiServer apiServer : this.apiServers) {
			if (apiServer.process().hasDied()) {
				throw apiServer.process().died();
			}
		}
	}

	/**
	 * The folder with the logs. It goes away when this is closed, unless a process died:
	 * then the logs stay.
	 */
	public Path logs() {
		return this.files.folder();
	}

	/**
	 * Leaves the end to the caller also when the JVM ends in an orderly way, for callers
	 * who have something to say to the API server until then. The processes end with the
	 * JVM all the same; without {@link #close()} its files stay until the next start of a
	 * control plane.
	 */
	public void closedByCaller() {
		Runtime.getRuntime().removeShutdownHook(this.cleaner);
	}

	/** Ends all processes and closes all clients. Can be called again. */
	@Override
	public void close() {
		end();
		try {
			Runtime.getRuntime().removeShutdownHook(this.cleaner);
		}
		catch (IllegalStateException ex) {
			// The JVM is on its way out.
		}
		this.clients.closeAll();
	}

	private void end() {
		this.apiServers.forEach((apiServer) -> apiServer.process().kill());
		this.etcd.process().kill();
		if (this.deathWatch.sawDeath()) {
			this.files.deleteAllButLogs();
		}
		else {
			this.files.delete();
		}
	}

	@Override
	public String toString() {
		return "ControlPlane[" + apiServer().url() + "]";
	}

}
