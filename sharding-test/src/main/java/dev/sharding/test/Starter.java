package dev.sharding.test;

import java.util.List;
import java.util.function.IntSupplier;

import dev.sharding.controlplane.ControlPlaneBinaries;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts the processes of a control plane, and tries other ports when somebody was
 * faster.
 */
final class Starter {

	private static final Logger log = LoggerFactory.getLogger(Starter.class);

	private static final int ATTEMPTS = 5;

	private Starter() {
	}

	static ControlPlane start(ControlPlaneBinaries binaries, List<String> flags, List<String> etcdFlags,
			@Nullable String auditPolicy, IntSupplier ports) {
		for (int attempt = 1;; attempt++) {
			ServerFiles files = ServerFiles.create(auditPolicy);
			ControlPlane controlPlane = new ControlPlane(binaries, files, flags, etcdFlags, ports);
			try {
				controlPlane.startProcesses();
				return controlPlane;
			}
			catch (RuntimeException ex) {
				boolean again = portWasTaken(ex) && attempt < ATTEMPTS;
				controlPlane.close();
				if (!again) {
					throw ex;
				}
				files.delete();
				log.info("Port was taken, trying others attempt={}", attempt);
			}
		}
	}

	private static boolean portWasTaken(RuntimeException ex) {
		return ex instanceof ControlPlaneDiedException
				&& String.valueOf(ex.getMessage()).contains("address already in use");
	}

}
