/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where slurmctld is, by slurm.conf and by a pod's SLURM_CONF_SERVER. Pure. Any
 * thread.
 */
#ifndef SLURMK8S_TOOL_SLURMCTLD_AT_H
#define SLURMK8S_TOOL_SLURMCTLD_AT_H

#include <stdbool.h>

#include "site_config.h"

#define SLURMCTLD_PORT 6817  /* slurm.conf(5), SlurmctldPort */
#define SLURMCTLD_AT_MAX 256 /* bytes of a name in DNS (RFC 1035), with NUL */

/* A SlurmctldHost, "name" or "name(address)". */
struct slurmctld_host {
	/* "": there is none, or it is longer than a name can be */
	char name[SLURMCTLD_AT_MAX], address[SLURMCTLD_AT_MAX];
};

/* The i-th SlurmctldHost. False: slurm.conf has not so many. */
bool slurmctld_host_at(const struct site_config *conf, int i,
		       struct slurmctld_host *out);

/* SlurmctldPort; where it is no range `first` is `last`. */
struct slurmctld_ports {
	long first, last;
};
struct slurmctld_ports slurmctld_ports(const struct site_config *conf);

/* One of slurmd's --conf-server: "host", "host:port" or "[address]:port". */
struct conf_server {
	char host[SLURMCTLD_AT_MAX]; /* without brackets */
	bool is_cut;		     /* `host` was longer than a name can be */
	long port;	   /* 0: none is given; -1: the given text is none */
	char port_text[8]; /* the given text, cut; "": none */
};

/*
 * The next server of a list with commas, where `*list` is moved on to what
 * comes after it; NULL is an empty list. False: there is no more.
 */
bool conf_server_next(const char **list, struct conf_server *out);

#endif
